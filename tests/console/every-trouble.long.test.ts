// Each trouble of services, store, bus and storage on a real stack: named at home and in the terminal, and never green. What answers badly itself:
// no-answer.long.test.ts.
import { createHmac } from "node:crypto";
import type { StateRecord } from "@scheduler-agent-supervisor/core/internal/domain/record/state-record";
import { KEY, KEY_NAME } from "@scheduler-agent-supervisor/local/bus/links/claims";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { QUEUES_FILE } from "../../cli/settings.ts";
import { orderFulfilment } from "../../shared/workflows/order-fulfilment.ts";
import { type FaultyStack, startFaultyStack } from "../faults/faulty-stack.ts";
import { FRAUD_QUEUE, FRAUD_WORKER } from "../support/fraud-worker.ts";
import { type Front, startFront } from "../support/front.ts";
import { THREE_STEPS } from "../support/orders.ts";
import { openBrowser } from "./browser.ts";
import {
  type Expected,
  expectNamed,
  isWellAgain,
  MINUTE_MS,
  NOT_KNOWN,
  openHome,
  orders,
  TIMEOUT_MS,
} from "./named.ts";

let browser: Browser;
let app: FaultyStack;
let front: Front;
let home: Page;
beforeAll(async () => {
  browser = await openBrowser();
  // With the usual locks: on a slow machine short ones run out, and home names the dead letters.
  app = await startFaultyStack([THREE_STEPS, ...orderFulfilment], { ...FRAUD_WORKER, queuesFile: QUEUES_FILE });
  front = await startFront([app.stack.addresses.host?.url ?? ""]);
  home = await openHome(browser, front.url);
}, 120_000);
afterAll(async () => {
  await front?.[Symbol.asyncDispose]();
  await app?.[Symbol.asyncDispose]();
  await browser?.close();
});

const isProcessed = ({ processState }: StateRecord) => processState === "Processed";
const isInError = ({ processState, outbox }: StateRecord) => processState === "Error" && outbox.length === 0;
const terminal = (...args: string[]) => orders(front.url, ...args);
const pause = (change: string) => terminal(change, "agent", "fraud", "--reason", "their database is moved");

/** Answers the next sends to the queue as a busy server does. */
async function answerBusy(queue: string, sends: number): Promise<void> {
  const expiry = Math.ceil(Date.now() / 1000) + 60;
  const signature = createHmac("sha256", KEY).update(`sb\n${expiry}`).digest("base64");
  const authorization = `SharedAccessSignature sr=sb&sig=${encodeURIComponent(signature)}&se=${expiry}&skn=${KEY_NAME}`;
  const url = `http://127.0.0.1:${app.stack.addresses.bus?.adminPort}/$refuse`;
  const body = JSON.stringify({ queue, sends });
  const response = await fetch(url, { method: "POST", headers: { authorization }, body });
  if (!response.ok) throw new Error(await response.text());
}

interface Trouble extends Expected {
  readonly name: string;
  /** @returns how it ends */
  begin(): Promise<() => Promise<unknown>>;
}

const TROUBLES: readonly Trouble[] = [
  {
    name: "a key was rotated, and orders are held",
    home: /payment: HTTP 401: key expired/,
    terminal: /waits for payment: HTTP 401: key expired/,
    async begin() {
      const end = await app.switchOn("payment", { kind: "reject", status: 401, message: "key expired" });
      await app.submit(["key-1", "key-2"]);
      return async () => {
        await end();
        const isHeld = ({ processState }: StateRecord) => processState === "Pending";
        for (const id of ["key-1", "key-2"]) {
          await app.eventually(id, isHeld, MINUTE_MS);
          await terminal("resubmit", id, "--reason", "the key is new");
          await app.eventually(id, isProcessed, MINUTE_MS);
        }
      };
    },
  },
  {
    name: "nobody takes an agent's requests",
    home: /fraud: .*not take/,
    terminal: /waits for fraud to take up|waits for fraud: .*did not take it up/,
    async begin() {
      const end = await app.switchOn("fraud", { kind: "down", path: FRAUD_QUEUE });
      await app.submit(["dead-1"]);
      return async () => {
        await end();
        await app.eventually("dead-1", isProcessed, 2 * MINUTE_MS);
      };
    },
  },
  {
    name: "an agent is paused",
    home: /Agent fraud is paused since .* by/,
    terminal: /The agent fraud is paused by .*their database is moved/,
    async begin() {
      await pause("pause");
      return () => pause("resume");
    },
  },
  {
    name: "Cosmos DB is down",
    home: NOT_KNOWN,
    terminal: /Held up: not known\./,
    async begin() {
      await app.to.cosmos.behave({ kind: "down" });
      return () => app.to.cosmos.behave({ kind: "none" });
    },
  },
  {
    name: "the bus is down",
    home: /The queue orders could not be read|Waiting messages: not known/,
    terminal: /The queue orders could not be read|Waiting messages: not known/,
    async begin() {
      await app.to.bus.behave({ kind: "down" });
      return () => app.to.bus.behave({ kind: "none" });
    },
  },
  {
    name: "the storage account is down, while the store and the bus answer",
    home: /No answer, or one that is too old: .*Supervision/,
    terminal: /Supervision: not known\./,
    async begin() {
      await app.to.storage.behave({ kind: "down" });
      return () => app.to.storage.behave({ kind: "none" });
    },
  },
  {
    name: "the end of an order can't be sent to its client",
    home: /a message about it could not be sent; it is sent again/,
    terminal: /has ended, and a message about it could not be sent/,
    async begin() {
      const end = await app.switchOn("shipping", { kind: "down" });
      await app.submit(["owed-1"]);
      const isAtLast = ({ steps }: StateRecord) => steps["arrangeShipping"]?.state !== "NotStarted";
      await app.eventually("owed-1", isAtLast, MINUTE_MS);
      await answerBusy("replies-shop", 10_000);
      await end();
      await app.eventually("owed-1", isProcessed, MINUTE_MS);
      return async () => {
        await answerBusy("replies-shop", 0);
        await app.eventually("owed-1", ({ outbox }) => outbox.length === 0, MINUTE_MS);
      };
    },
  },
  {
    name: "messages are in quarantine",
    home: /currency: must be an ISO 4217 code/,
    terminal: /quarantine: 2 messages with "currency: must be/,
    async begin() {
      await app.submit(["odd-1", "odd-2"], { currency: "euro" });
      return async () => {
        const causes = await terminal("dead-letter-causes", "quarantine");
        const [, cause = ""] = /^([0-9a-f]{16})\t/m.exec(causes) ?? [];
        const given = ["--cause", cause, "--count", "2", "--set", "currency=EUR", "--reason", "the client's fault"];
        await terminal("resend", "quarantine", ...given);
        for (const id of ["odd-1", "odd-2"]) await app.eventually(id, isProcessed, MINUTE_MS);
      };
    },
  },
  {
    name: "an action on many orders has stopped by itself, and its orders need nobody any more",
    home: /Resubmit.*stopped by itself/i,
    terminal: /stopped by itself/i,
    async begin() {
      const end = await app.switchOn("payment", { kind: "reject", status: 422, message: "no such account" });
      const ids = ["stop-1", "stop-2", "stop-3"];
      await app.submit(ids);
      for (const id of ids) await app.eventually(id, isInError, MINUTE_MS);
      const preview = await terminal("bulk", "resubmit", ...ids);
      const [, run = "", count = ""] = /start (\S+) --count (\d+)/.exec(preview) ?? [];
      await terminal("start", run, "--count", count, "--reason", "they say that it is fixed");
      for (const id of ids) await app.eventually(id, isInError, MINUTE_MS);
      for (const id of ids) await terminal("mark-resolved", id, "--reason", "refunded by the bank");
      await end();
      // It is named for an hour.
      return async () => {};
    },
  },
];

test.each(TROUBLES)(
  "$name: named, and not green",
  async ({ begin, name, ...expected }) => {
    await isWellAgain(home);
    const begun = Date.now();
    const end = await begin();
    try {
      // Of orders that have to fail first, once they have.
      await expectNamed(home, front.url, expected, name.startsWith("an action") ? Date.now() : begun);
    } finally {
      await end();
    }
  },
  TIMEOUT_MS,
);
