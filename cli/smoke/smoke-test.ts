// The smoke test: one order through a workflow, awaited to its end, and a look whether telemetry of it arrived. Where something is
// missing it says which role, setting or network that is.
import { setTimeout as sleep } from "node:timers/promises";
import { JobClientError, type JobClientFault, type JobEnd } from "@scheduler-agent-supervisor/client";
import { holderId, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { MadeJob } from "../common/shop.ts";

export interface SmokeTarget {
  /** @throws OrderClientError */
  submit(order: MadeJob["content"], timeoutMs: number): Promise<JobEnd>;
  /** The order's record. @throws where the store can't be read. */
  record(orderId: string): Promise<StateRecord | undefined>;
  /** What the quarantine says of the order's message: the faults it was kept for; undefined if it is not there. */
  quarantined(messageId: string): Promise<readonly string[] | undefined>;
  /** Whether the order's message still waits in its queue. */
  waits(messageId: string): Promise<boolean>;
  /** How much telemetry of the order there is. @throws where it can't be asked for. */
  telemetry(orderId: string): Promise<number>;
  /** How long telemetry may take to arrive. */
  readonly telemetryWithinMs: number;
  /** Of the app that is tested, where that is known: another region's app works on the same queues and has its own. */
  readonly taskHub: string | undefined;
  /** Between an order that another region's app did and the next. */
  readonly pauseMs: number;
}

export interface SmokeOutcome {
  readonly ok: boolean;
  /** What was seen, or what is missing and what to do about it. */
  readonly lines: readonly string[];
}

const POLL_MS = 1000;

/** What keeps the sender away is the sender's: the app has not been reached yet. */
const SENDER: { readonly [fault in JobClientFault]: string } = {
  noQueue: "A queue is missing. The template makes those of infra/entities/service-bus.json: azd provision.",
  notAllowed:
    "A role is missing, for who runs this: Azure Service Bus Data Sender on the queue jobs, Data Receiver on replies-shop-sessions. azd provision with GRANT_DEVELOPER_ACCESS=true gives them; a new role takes minutes to spread.",
  noSessions: "The queue replies-shop-sessions has no sessions: it was not made by the template. azd provision.",
  sessionHeld: "Somebody else listens to the same session. Run this again.",
  unreachable:
    "The network: Service Bus can't be reached from here. On this machine: npm start. In Azure, with NETWORK=private it is reached from the private network alone: run this there.",
  closed: "The client was closed. Run this again.",
};

/** Of two regions that each take every other order, one of a thousand tests ends without having seen its own. */
const MOST_ORDERS = 10;

/** Sends orders until this app has done one. Never throws for what is wrong with the app: that is what it is there to say. */
export async function smokeTest(
  target: SmokeTarget,
  newOrder: () => MadeJob,
  timeoutMs: number,
): Promise<SmokeOutcome> {
  const lines: string[] = [];
  for (let sent = 0; sent < MOST_ORDERS; sent += 1) {
    if (sent > 0) await sleep(target.pauseMs);
    const { id: orderId, content } = newOrder();
    const begun = Date.now();
    let end: JobEnd;
    try {
      end = await target.submit(content, timeoutMs);
    } catch (cause) {
      if (!(cause instanceof JobClientError)) throw cause;
      return { ok: false, lines: [cause.message, SENDER[cause.fault]] };
    }
    if (end.kind !== "completed") return { ok: false, lines: await whyNot(target, end, orderId) };
    const seconds = ((Date.now() - begun) / 1000).toFixed(1);
    if (await isDoneElsewhere(target, orderId)) {
      lines.push(`${orderId}: Completed after ${seconds} s, by another region's app`);
      continue;
    }
    const missing = await telemetryMissing(target, orderId);
    lines.push(`${orderId}: Completed after ${seconds} s`, missing ?? "Telemetry of it has arrived.");
    return { ok: missing === undefined, lines };
  }
  return { ok: false, lines: [...lines, ALL_ELSEWHERE] };
}

const ALL_ELSEWHERE =
  "This app has done none of them. It does not run (az functionapp show --query state, and the log stream), or a role is missing, for the app: Azure Service Bus Data Owner on the queue jobs; or it has just started: run this again.";

/** As the claim says, which names its task hub; an order whose record can't be read counts as this app's. */
async function isDoneElsewhere({ record, taskHub }: SmokeTarget, orderId: string): Promise<boolean> {
  if (taskHub === undefined) return false;
  const found = await record(orderId).catch(() => undefined);
  if (!found) return false;
  const own = holderId(orderId, found.attempt, taskHub);
  return !found.history.some(({ by }) => by === own);
}

async function whyNot(target: SmokeTarget, end: JobEnd, orderId: string): Promise<string[]> {
  if (end.kind === "failed" || end.kind === "compensated") return [`${orderId}: ${end.kind}: ${end.reason}`];
  if (end.kind === "rejected") return [`${orderId} was ${end.sent ? "rejected" : "not sent"}: ${end.reason}`];
  const noEnd = `${orderId}: no end was received.`;
  try {
    const faults = await target.quarantined(orderId);
    if (faults) return [noEnd, "The app keeps it in its quarantine, for:", ...faults.map((fault) => `  ${fault}`)];
    const record = await target.record(orderId);
    if (record) return [noEnd, fromRecord(record)];
    if (await target.waits(orderId)) return [noEnd, NOT_TAKEN];
    return [noEnd, NOT_RECORDED];
  } catch (cause) {
    return [
      noEnd,
      `Store or bus can't be read from here, so nothing more is known: ${String(cause)}`,
      "A role may be missing, for who runs this: Cosmos DB Data Reader on the database, Data Receiver on quarantine (GRANT_DEVELOPER_ACCESS=true); or the network, with NETWORK=private.",
    ];
  }
}

const NOT_TAKEN =
  "It waits in the queue jobs: no function takes it. The app does not run (az functionapp show --query state, and the log stream), or a role is missing, for the app: Azure Service Bus Data Owner on the queue; or a setting: ServiceBus__fullyQualifiedNamespace, ServiceBus__clientId.";
const NOT_RECORDED =
  "It was taken from the queue, and there is no record of it. The app can't write to the store: a role is missing, for the app (Cosmos DB Data Contributor on the container jobs), or a setting: Cosmos__accountEndpoint, Cosmos__clientId; or the message is being delivered again and again, which ends among the dead letters.";

function fromRecord({ processState, attempt, error, steps }: StateRecord): string {
  const running = Object.entries(steps).flatMap(([name, { state }]) => (state === "Running" ? [name] : []));
  if (processState === "Pending")
    return `It is recorded, and no attempt has claimed it (attempt ${attempt}): the durable engine does not run. A role is missing, for the app: Storage Blob Data Owner, Queue and Table Data Contributor on the storage account, or Durable Task Data Contributor on the task hub; or a setting of its name.`;
  if (processState === "Processed")
    return "It is Processed, and its last message did not arrive. A role is missing, for the app: Azure Service Bus Data Sender on the namespace; or the name of the reply queue does not begin with replies-.";
  const where = running.length > 0 ? ` at ${running.join(", ")}` : "";
  return `It is ${processState}${where}, attempt ${attempt}${error ? `: ${error.message}` : ". The service of that step may be out of reach: its endpoints are settings, and with NETWORK=private they are called from the private network."}`;
}

/** Undefined when there is some. */
async function telemetryMissing(target: SmokeTarget, orderId: string): Promise<string | undefined> {
  const endAt = Date.now() + target.telemetryWithinMs;
  let rejected: unknown;
  for (;;) {
    try {
      if ((await target.telemetry(orderId)) > 0) return undefined;
      rejected = undefined;
    } catch (cause) {
      rejected = cause;
    }
    if (Date.now() >= endAt) break;
    await sleep(Math.min(POLL_MS, target.telemetryWithinMs));
  }
  if (rejected !== undefined)
    return `Telemetry could not be asked for, so whether it arrives is not known: ${String(rejected)}. A role may be missing, for who runs this: Log Analytics Reader on the workspace.`;
  return "No telemetry of it arrived. A role is missing, for the app: Monitoring Metrics Publisher on Application Insights; or a setting: APPLICATIONINSIGHTS_CONNECTION_STRING, APPLICATIONINSIGHTS_AUTHENTICATION_STRING; or the workspace has reached its daily quota.";
}
