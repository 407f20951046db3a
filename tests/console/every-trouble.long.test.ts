// P30 on real stacks: of each trouble, the open first view and the terminal say in words what it is, within a minute, and never that all is well.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { StateRecord } from "@scheduler-agent-supervisor/core/internal/domain/record/state-record";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { QUEUES_FILE, ROOT } from "../../cli/settings.ts";
import { orderFulfilment } from "../../shared/workflows/order-fulfilment.ts";
import { type FaultyStack, startFaultyStack } from "../faults/faulty-stack.ts";
import { FRAUD_QUEUE, FRAUD_WORKER } from "../support/fraud-worker.ts";
import { type Front, startFront } from "../support/front.ts";
import { madeOrder } from "../support/made-order.ts";
import { THREE_STEPS } from "../support/orders.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";
import { openBrowser, openPage } from "./browser.ts";

const MINUTE_MS = 60_000;
const POLL_MS = 250;
/** Once it is named, the view asks again several times in this time. */
const WATCHED_MS = 15_000;
const WELL_AGAIN_MS = 150_000;
const TIMEOUT_MS = 400_000;
const CLEAR = "Nothing needs a person";
const NOT_KNOWN = /It is not known whether something (else )?needs a person/;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

async function orders(url: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, ["-C", "sources", join(ROOT, "cli/orders.ts"), ...args, "--app", url]);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  await once(child, "close");
  return output;
}

async function openHome(url: string): Promise<Page> {
  const { page } = await openPage(browser);
  await page.goto(`${url}/console/`);
  return page;
}

const isClear = async (home: Page) => (await home.getByText(CLEAR, { exact: true }).count()) > 0;

interface Expected {
  /** What the first view says, and the terminal. */
  readonly home: RegExp;
  readonly terminal: RegExp;
}

/** Both name it within a minute, and after that neither says that all is well. */
async function expectNamed(home: Page, url: string, expected: Expected, begun = Date.now()): Promise<void> {
  const inTerminal = async () => {
    for (;;) {
      const output = await orders(url, "needs");
      if (expected.terminal.test(output)) return output;
      if (Date.now() - begun > MINUTE_MS) throw new Error(`the terminal says after a minute:\n${output}`);
    }
  };
  const onHome = async () => {
    // What is paused stands above the view's own part.
    const shown = home.locator("body");
    while (!expected.home.test(await shown.innerText())) {
      if (Date.now() - begun > MINUTE_MS) throw new Error(`home says after a minute:\n${await shown.innerText()}`);
      await sleep(POLL_MS);
    }
    process.stderr.write(`${expected.home.source}: home after ${Math.round((Date.now() - begun) / 1000)} s\n`);
  };
  const [output] = await Promise.all([inTerminal(), onHome()]);
  expect(output).not.toContain(CLEAR);
  for (const until = Date.now() + WATCHED_MS; Date.now() < until; await sleep(POLL_MS)) {
    expect(await isClear(home), "home says that all is well").toBe(false);
  }
  expect(await orders(url, "needs")).not.toContain(CLEAR);
}

describe("on one host", () => {
  let app: FaultyStack;
  let front: Front;
  let home: Page;
  beforeAll(async () => {
    // With the usual locks: on a slow machine short ones run out, and home names the dead letters.
    app = await startFaultyStack([THREE_STEPS, ...orderFulfilment], { ...FRAUD_WORKER, queuesFile: QUEUES_FILE });
    front = await startFront([app.stack.addresses.host?.url ?? ""]);
    home = await openHome(front.url);
  }, 120_000);
  afterAll(async () => {
    await front?.[Symbol.asyncDispose]();
    await app?.[Symbol.asyncDispose]();
  });

  const isProcessed = ({ processState }: StateRecord) => processState === "Processed";
  const isInError = ({ processState, outbox }: StateRecord) => processState === "Error" && outbox.length === 0;
  const terminal = (...args: string[]) => orders(front.url, ...args);
  const pause = (change: string) => terminal(change, "agent", "fraud", "--reason", "their database is moved");

  interface Trouble extends Expected {
    readonly name: string;
    /** @returns how it ends */
    begin(): Promise<() => Promise<unknown>>;
  }

  const TROUBLES: readonly Trouble[] = [
    {
      name: "two queries answer 500",
      home: /No answer, or one that is too old: .*Orders in Error.*Agents/,
      terminal: /Orders in Error: not known\.[\s\S]*Agents and pauses: not known\./,
      async begin() {
        front.behave({ kind: "fails", paths: [/\/api\/attention$/, /\/api\/agents$/] });
        return async () => front.behave({ kind: "passes" });
      },
    },
    {
      name: "the API hangs",
      home: NOT_KNOWN,
      terminal: /did not answer within/,
      async begin() {
        front.behave({ kind: "hangs" });
        return async () => front.behave({ kind: "passes" });
      },
    },
    {
      name: "the API gives old answers again",
      home: /No answer, or one that is too old: .*The app itself/,
      terminal: /The app itself: not known\. .*an old one/,
      async begin() {
        front.behave({ kind: "repeats" });
        return async () => front.behave({ kind: "passes" });
      },
    },
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
      name: "messages are in quarantine",
      home: /currency: must be an ISO 4217 code/,
      terminal: /quarantine: 2 currency: must be/,
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
      await expect.poll(() => isClear(home), { timeout: WELL_AGAIN_MS, interval: POLL_MS }).toBe(true);
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
});

describe("on a stack of its own", () => {
  type Options = Parameters<typeof startTestStack>[0];

  async function onStack(options: Options, work: (app: TestStack, front: Front, home: Page) => Promise<void>) {
    await using app = await startTestStack(options);
    await using front = await startFront(app.stack.addresses.hosts.map(({ url }) => url));
    const home = await openHome(front.url);
    await work(app, front, home);
    await home.context().close();
  }

  test(
    "the supervisor's timer is switched off: named, and not green",
    () =>
      onStack({ appSettings: { "AzureWebJobs.supervisor.Disabled": "true" } }, async (_, front, home) => {
        const expected = { home: /No supervisor is active/, terminal: /No supervisor is active/ };
        await expectNamed(home, front.url, expected);
      }),
    TIMEOUT_MS,
  );

  test(
    "nobody takes in what is sent, while the host is up: named, and not green",
    () =>
      onStack({ appSettings: { "AzureWebJobs.submission.Disabled": "true" } }, async (app, front, home) => {
        await expect.poll(() => isClear(home), { timeout: WELL_AGAIN_MS, interval: POLL_MS }).toBe(true);
        await app.shop.send(madeOrder("stays-1"));
        const words = /Messages in orders wait for a function that takes them/;
        await expectNamed(home, front.url, { home: words, terminal: words });
      }),
    TIMEOUT_MS,
  );

  test(
    "one of two hosts is frozen: named, and not green",
    () =>
      onStack({ hosts: 2 }, async (app, front, home) => {
        await expect.poll(() => isClear(home), { timeout: WELL_AGAIN_MS, interval: POLL_MS }).toBe(true);
        const [, second] = app.stack.processes.filter(({ name }) => name.startsWith("host"));
        if (!second) throw new Error("there is one host");
        await app.stack.kill(second.name, "SIGSTOP");
        try {
          await expectNamed(home, front.url, { home: NOT_KNOWN, terminal: /did not answer within/ });
        } finally {
          await app.stack.kill(second.name, "SIGCONT");
        }
      }),
    TIMEOUT_MS,
  );
});
