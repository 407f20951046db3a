// `npm run send -- --wait`: submits orders as an application would, and prints what the app says of each until it ends.
import { styleText } from "node:util";
import type { JobClient, JobEnd, JobRequest, JobStatus, SubmitOptions } from "@scheduler-agent-supervisor/client";
import { contentDigest } from "@scheduler-agent-supervisor/core/agents";
import { idNameOf } from "@scheduler-agent-supervisor/core/messaging";
import { business } from "../../shared/business.ts";
import { words } from "../../shared/words.ts";
import { openRecords } from "../common/records.ts";
import { makeOrders, openOrderClient } from "../common/shop.ts";
import { withAddress } from "../every-app/printed-commands.ts";
import type { Settings } from "../every-app/stack-file.ts";
import { beside, columnsFor } from "../every-app/wrapped.ts";
import { plainText } from "../orders/text.ts";

/** Made orders that are submitted and have not ended. */
const OPEN_ORDERS = 500;

type Colour = "green" | "red" | "yellow" | "cyan" | "gray";

const COLOURS: Readonly<Record<JobStatus, Colour>> = {
  Received: "gray",
  Started: "cyan",
  StepCompleted: "cyan",
  StepReminder: "yellow",
  RetryScheduled: "yellow",
  Completed: "green",
  Failed: "red",
  Compensated: "yellow",
  Cancelled: "yellow",
  Rejected: "red",
  CancelAccepted: "yellow",
  CancelRejected: "red",
};

/** @returns whether every order completed. */
export async function awaitFiles(
  settings: Settings,
  files: readonly { readonly file: string; readonly body: unknown }[],
  options: SubmitOptions,
): Promise<boolean> {
  return withClient(settings, async (client) => {
    const ends = await Promise.all(
      files.map(async ({ file, body }) => {
        const order = requestOf(body);
        return (await duplicateOf(order, settings)) ?? awaitOne(client, settings, order, options, file);
      }),
    );
    return report(ends);
  });
}

/** @returns whether every order completed. */
export async function awaitMade(
  settings: Settings,
  count: number,
  rate: number | undefined,
  options: SubmitOptions,
): Promise<boolean> {
  return withClient(settings, async (client) => {
    const ends: JobEnd[] = [];
    await makeOrders(count, rate, OPEN_ORDERS, async ({ id, content }) => {
      ends.push(await awaitOne(client, settings, content, options, id));
    });
    return report(ends);
  });
}

async function withClient(settings: Settings, use: (client: JobClient) => Promise<boolean>): Promise<boolean> {
  const client = openOrderClient(settings);
  try {
    return await use(client);
  } finally {
    await client[Symbol.asyncDispose]();
  }
}

/** The file's body as it is, for the app to judge. The client asks for an order id alone, and says so where there is none. */
function requestOf(body: unknown): JobRequest {
  return (body !== null && typeof body === "object" ? body : {}) as JobRequest;
}

const orderIdOf = (order: JobRequest) =>
  (order as { readonly [name: string]: string | undefined })[idNameOf(business.contracts)];

/** What is there already is told at once: the app answers where the first submission asked it to, and nobody would be heard here. */
async function duplicateOf(order: JobRequest, settings: Settings): Promise<JobEnd | undefined> {
  const jobId = orderIdOf(order);
  if (typeof jobId !== "string") return undefined;
  const records = openRecords(settings);
  try {
    const [record] = await records.of([jobId]);
    // Other content under its id is for the app to reject.
    if (record?.contentDigest !== contentDigest(order, business.contracts.usualWorkflow)) return undefined;
    const reason = `It was submitted before with the same content, and is ${record.processState}. ${lookAt(jobId)}. For a new one change its ${idNameOf(business.contracts)}.`;
    printLine("", jobId, "not sent", "yellow", `: ${reason}`);
    return { kind: "rejected", jobId, reason, faults: [], sent: false };
  } catch {
    // Who may send need not be allowed to read records.
    return undefined;
  } finally {
    await records.close();
  }
}

async function awaitOne(
  client: JobClient,
  settings: Settings,
  order: JobRequest,
  options: SubmitOptions,
  label: string,
): Promise<JobEnd> {
  const begun = performance.now();
  const print = (what: string, colour: Colour, more: string) => {
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    printLine(`${seconds} s`, orderIdOf(order) ?? label, what, colour, more);
  };
  const end = await client.submit(order, {
    ...options,
    onStatus: ({ status, step, detail, attempt, faults, outputs = {} }) => {
      const what = faults ? ["", ...faults.map(plainText)].join("\n  - ") : detail && plainText(detail);
      const results = Object.entries(outputs).map(([name, value]) => plainText(`${name} ${value}`));
      const more = [step, what, ...results, attempt > 1 && `attempt ${attempt}`];
      const text = more.filter(Boolean).join(", ");
      print(status, COLOURS[status], text && ` ${text}`);
    },
  });
  // These are sentences, and not the names of what a status is about.
  if (end.kind === "rejected" && !end.sent) print("not sent", "red", `: ${end.reason}`);
  if (end.kind === "timedOut") print("no end", "red", `: ${await whereToLook(end, settings)}`);
  return end;
}

const TIME_WIDTH = 8;
const ID_WIDTH = 28;

/** As wide as the terminal; in a pipe one line. @param more follows what it is without a blank of its own */
function printLine(time: string, id: string, what: string, colour: Colour, more: string): void {
  const name = `${time.padStart(TIME_WIDTH)}  ${id.padEnd(ID_WIDTH)} `;
  const text = `${styleText(colour, what)}${more}`;
  console.log(process.stdout.isTTY ? beside(name, text, columnsFor(process.stdout)) : `${name}${text}`);
}

const lookAt = (orderId: string) => withAddress(`Look: npm run orders -- ${orderId}`);

/** The client knows only that it received nothing; on this machine there is more to look at. */
async function whereToLook(
  { jobId: orderId, reason, received }: Extract<JobEnd, { kind: "timedOut" }>,
  settings: Settings,
): Promise<string> {
  const look = lookAt(orderId);
  if (received.length > 0) return `${reason} ${look}`;
  const records = openRecords(settings);
  try {
    const kept = (await records.quarantined()).findLast(({ messageId }) => messageId === orderId);
    if (kept) return [`The app keeps it in the quarantine queue, for:`, ...kept.faults.map(plainText)].join("\n  - ");
    const [record] = await records.of([orderId]);
    if (!record) return `${reason} There is no record of it either. Does the app run?`;
    return `An order ${orderId} was submitted before: it is ${record.processState}, and its messages go where that submission asked for them. ${look}`;
  } catch (cause) {
    return `${reason} ${look} (${String(cause)})`;
  } finally {
    await records.close();
  }
}

const NAMED = ["completed", "failed", "compensated", "cancelled", "without an end", "rejected", "not sent"] as const;

function nameOf(end: JobEnd): (typeof NAMED)[number] {
  switch (end.kind) {
    case "completed":
    case "failed":
    case "compensated":
    case "cancelled":
      return end.kind;
    case "timedOut":
      return "without an end";
    case "rejected":
      return end.sent ? "rejected" : "not sent";
    default:
      return end satisfies never;
  }
}

function report(ends: readonly JobEnd[]): boolean {
  const names = ends.map(nameOf);
  const parts = NAMED.flatMap((name) => {
    const count = names.filter((one) => one === name).length;
    return count > 0 ? [`${count} ${name}`] : [];
  });
  const all = names.every((name) => name === "completed");
  console.log(
    styleText(
      all ? "green" : "red",
      `${ends.length} ${ends.length === 1 ? words.one : words.many}: ${parts.join(", ")}`,
    ),
  );
  return all;
}
