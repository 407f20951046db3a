// Each trouble of agents, operators and clients on a real stack: named at home and in the terminal, and never green. Those of store, bus and storage:
// platform-trouble.long.test.ts. What answers badly itself: no-answer.long.test.ts.
import { createHmac } from "node:crypto";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { KEY, KEY_NAME } from "@scheduler-agent-supervisor/local/storage";
import type { FaultyStack } from "../faults/faulty-stack.ts";
import { FRAUD_QUEUE } from "../support/fraud-worker.ts";
import { MINUTE_MS } from "./named.ts";
import { isProcessed, namedOneByOne } from "./troubles.ts";

const isInError = ({ processState, outbox }: StateRecord) => processState === "Error" && outbox.length === 0;

/** Answers the next sends to the queue as a busy server does. */
async function answerBusy(app: FaultyStack, queue: string, sends: number): Promise<void> {
  const expiry = Math.ceil(Date.now() / 1000) + 60;
  const signature = createHmac("sha256", KEY).update(`sb\n${expiry}`).digest("base64");
  const authorization = `SharedAccessSignature sr=sb&sig=${encodeURIComponent(signature)}&se=${expiry}&skn=${KEY_NAME}`;
  const url = `http://127.0.0.1:${app.stack.addresses.bus?.adminPort}/$refuse`;
  const body = JSON.stringify({ queue, sends });
  const response = await fetch(url, { method: "POST", headers: { authorization }, body });
  if (!response.ok) throw new Error(await response.text());
}

namedOneByOne([
  {
    name: "a key was rotated, and orders are held",
    home: /payment: HTTP 401: key expired/,
    terminal: /waits for payment: HTTP 401: key expired/,
    async begin({ app, terminal }) {
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
    async begin({ app }) {
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
    async begin({ terminal }) {
      const change = (verb: string) => terminal(verb, "agent", "fraud", "--reason", "their database is moved");
      await change("pause");
      return () => change("resume");
    },
  },
  {
    name: "the end of an order can't be sent to its client",
    home: /a message about it could not be sent; it is sent again/,
    terminal: /has ended, and a message about it could not be sent/,
    async begin({ app }) {
      const end = await app.switchOn("shipping", { kind: "down" });
      await app.submit(["owed-1"]);
      const isAtLast = ({ steps }: StateRecord) => steps["arrangeShipping"]?.state !== "NotStarted";
      await app.eventually("owed-1", isAtLast, MINUTE_MS);
      await answerBusy(app, "replies-shop", 10_000);
      await end();
      await app.eventually("owed-1", isProcessed, MINUTE_MS);
      return async () => {
        await answerBusy(app, "replies-shop", 0);
        await app.eventually("owed-1", ({ outbox }) => outbox.length === 0, MINUTE_MS);
      };
    },
  },
  {
    name: "an action on many orders has stopped by itself, and its orders need nobody any more",
    home: /Resubmit.*stopped by itself/i,
    terminal: /stopped by itself/i,
    async begin({ app, terminal }) {
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
]);
