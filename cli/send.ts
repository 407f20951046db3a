// `npm run send`: sends order files, or orders that it makes, over Service Bus, and waits for their ends if asked to.
import { readFileSync } from "node:fs";
import type { WantedStatuses } from "@scheduler-agent-supervisor/client";
import { words } from "../shared/words.ts";
import { azdDeployment, azureSettings } from "./common/azure.ts";
import { openShop, type Shop } from "./common/shop.ts";
import { choiceOf, numberOf, readArguments, runCommand, UsageError } from "./every-app/arguments.ts";
import { printFor } from "./every-app/printed-commands.ts";
import { DEFAULT_DATA, faultWithoutStack, requireStack, type Settings } from "./every-app/stack-file.ts";
import { awaitFiles, awaitMade } from "./send/await-orders.ts";
import { currentSettings } from "./settings.ts";

const USAGE = `npm run send -- FILE...                    sends each file's JSON unchanged
npm run send -- --count N [--rate R]       creates N orders and sends them, R a second or as fast as possible
  --wait       prints each status message; exit code 0 only if every order completed
  --statuses W the status messages that the app sends: all (default), or end
  --timeout S  how long --wait waits for each order (60)
  --data DIR   the state folder of the stack to send to (.local)
  --azure      sends to the deployed app of azd's environment, with azd's sign-in`;
const MOST_ORDERS = 1_000_000;
const LONGEST_WAIT_S = 86_400;
const USUAL_WAIT_S = 60;
const PROGRESS_EVERY_MS = 1000;

await runCommand(async () => {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = {
    count: text,
    rate: text,
    statuses: text,
    timeout: text,
    data: text,
    wait: flag,
    azure: flag,
  };
  const { values, positionals } = readArguments(options, USAGE, "words");
  const count = numberOf(values, "count", 1, MOST_ORDERS);
  const rate = numberOf(values, "rate", 0.001, 100_000);
  if ((count === undefined) === (positionals.length === 0))
    throw new UsageError(`Name files, or a --count.\n\n${USAGE}`);
  const statuses = choiceOf(values, "statuses", ["all", "end"]);
  const timeout = numberOf(values, "timeout", 0.001, LONGEST_WAIT_S);
  if (timeout !== undefined && !values["wait"]) throw new UsageError(`--timeout needs --wait.\n\n${USAGE}`);
  const bodies = positionals.map((file) => ({ file, body: readOrder(file) }));
  if (values["azure"] && values["data"]) throw new UsageError(`--azure cannot be used with --data.\n\n${USAGE}`);
  if (values["data"] !== undefined) requireStack(String(values["data"]));
  const data = String(values["data"] ?? DEFAULT_DATA);
  printFor({ data });
  const sending = { bodies, count, rate, statuses };
  const timeoutMs = values["wait"] ? (timeout ?? USUAL_WAIT_S) * 1000 : undefined;
  if (values["azure"]) return send(azureSettings(azdDeployment()), sending, timeoutMs);
  try {
    return await send(currentSettings(data), sending, timeoutMs);
  } catch (cause) {
    throw faultWithoutStack(cause, data, "Service Bus");
  }
});

interface Sending {
  readonly bodies: readonly { readonly file: string; readonly body: unknown }[];
  /** Of made orders, in place of files. */
  readonly count: number | undefined;
  readonly rate: number | undefined;
  readonly statuses: WantedStatuses;
}

/**
 * @param timeoutMs within which each order has to end; without it nobody waits
 * @returns the exit code
 */
async function send(settings: Settings, sending: Sending, timeoutMs: number | undefined): Promise<number> {
  const { bodies, count, rate, statuses } = sending;
  if (timeoutMs !== undefined) {
    const completed =
      count === undefined
        ? await awaitFiles(settings, bodies, { timeoutMs, statuses })
        : await awaitMade(settings, count, rate, { timeoutMs, statuses });
    return completed ? 0 : 1;
  }
  const shop = openShop(settings, statuses);
  try {
    if (count === undefined) for (const { file, body } of bodies) await sendFile(shop, file, body);
    else await sendMade(shop, count, rate);
  } finally {
    await shop.close();
  }
  return 0;
}

/** JSON where the file is JSON; else its text, for the app to reject as it would anyone's. */
function readOrder(file: string): unknown {
  const text = readFileSync(file, "utf8");
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function sendFile(shop: Shop, file: string, body: unknown): Promise<void> {
  const messageId = await shop.send(body);
  console.log(`${file} sent, message ${messageId}`);
}

async function sendMade(shop: Shop, count: number, rate: number | undefined): Promise<void> {
  const begun = performance.now();
  let sent = 0;
  let first = "";
  let last = "";
  const progress = setInterval(() => console.log(`${sent} of ${count} sent`), PROGRESS_EVERY_MS);
  try {
    await shop.sendMany(count, rate, {
      onSent(orderId) {
        sent += 1;
        first ||= orderId;
        last = orderId;
      },
    });
  } finally {
    clearInterval(progress);
  }
  const seconds = (performance.now() - begun) / 1000;
  console.log(`${sent} ${words.many} sent in ${seconds.toFixed(1)} s: ${first}${sent > 1 ? ` to ${last}` : ""}`);
}
