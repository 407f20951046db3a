// The eight failures of an operator on call, with thousands of ended orders in the store: the open first view names each within a minute of its start,
// in words; each is going again within ten clicks and no typed JSON; and the same in the terminal. OUTAGE_S=180: the outage lasts three minutes.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { ServiceFault } from "@scheduler-agent-supervisor/testing";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { writeStackFile } from "../../cli/every-app/stack-file.ts";
import { madeOrder } from "../support/made-order.ts";
import { typedOrders } from "../support/orders-command.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";
import { openBrowser, openPage } from "./browser.ts";
import { fill } from "./charges/fill.ts";
import { NOT_KNOWN } from "./named.ts";

const ENDED = 6000;
const MINUTE_MS = 60_000;
const MOST_CLICKS = 10;
const OUTAGE_MS = Number(process.env["OUTAGE_S"] ?? 15) * 1000;
const A_SECOND = 5;

const folder = mkdtempSync(join(tmpdir(), "eight-failures-"));
const data = join(folder, "data");
let app: TestStack;
let browser: Browser;
/** The first view, open since before the first failure. */
let home: Page;
let base: string;

beforeAll(async () => {
  await fill(folder, { from: 0, ended: ENDED, failed: 0, inFlight: 0 }, Date.now());
  [app, browser] = await Promise.all([startTestStack({ data: folder }), openBrowser()]);
  base = `${app.stack.addresses.host?.url}/console`;
  writeStackFile(data, app.settings, { app: app.stack.addresses.host?.url });
  home = (await openPage(browser)).page;
  await home.goto(`${base}/`);
  await home.getByText("Nothing needs a person", { exact: true }).waitFor();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await app?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const ends = new Set<() => Promise<void>>();
/** No test finds the fault of another. */
afterEach(async () => {
  await Promise.all([...ends].map((end) => end()));
  ends.clear();
});

async function fault(service: string, kind: ServiceFault): Promise<() => Promise<void>> {
  const end = await app.switchOn(service, kind);
  ends.add(end);
  return end;
}

/** How long after `begun` the view that nobody touches says it. */
async function named(words: RegExp, begun: number): Promise<void> {
  const main = home.locator("main");
  const isShown = main.getByText(words).first().waitFor({ timeout: MINUTE_MS });
  await isShown.catch(async () => expect.fail(`home does not say ${words.source}:\n${await main.innerText()}`));
  const tookMs = Date.now() - begun;
  process.stderr.write(`home: "${words.source}" after ${Math.round(tookMs / 1000)} s\n`);
  expect(tookMs).toBeLessThanOrEqual(MINUTE_MS);
}

type Clicks = (click: (locator: Locator) => Promise<void>, page: Page) => Promise<void>;

/** Beginning at the first view. */
async function clicked(does: Clicks): Promise<void> {
  const { page, errors } = await openPage(browser);
  let clicks = 0;
  await page.goto(`${base}/`);
  await does(async (locator) => {
    await locator.click();
    clicks += 1;
  }, page);
  process.stderr.write(`${clicks} clicks\n`);
  expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);
  expect(errors).toEqual([]);
  await page.context().close();
}

const orders = async (...args: string[]) => (await typedOrders([...args, "--data", data])).output;

/** The id at the begin of the line that has these words. An answer may be five seconds old. */
async function idOf(words: RegExp, ...args: string[]): Promise<string> {
  let output = "";
  const said = async () => {
    output = await orders(...args);
    return output;
  };
  await expect.poll(said).toMatch(words);
  const line = output.split("\n").find((one) => words.test(one));
  return line?.split("\t")[0] ?? "";
}

/** A preview's own next command, as it says it. */
async function startOf(preview: string, reason: string): Promise<string> {
  const [, run = "", count = ""] = /start (\S+) --count (\d+)/.exec(preview) ?? [];
  return orders("start", run, "--count", count, "--reason", reason);
}

const isProcessed = ({ processState }: StateRecord) => processState === "Processed";
const allOf = async (ids: readonly string[], holds: (record: StateRecord) => boolean) => {
  for (const id of ids) await app.eventually(id, holds, 90_000);
};
const idsOf = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}-${at + 1}`);
const sendAll = async (ids: readonly string[], more: object = {}) => {
  for (const id of ids) await app.shop.send({ ...madeOrder(id), ...more });
};
/** Of many orders the preview takes a while. */
const reasonFor = async (page: Page) => page.getByLabel("Reason").fill("the cause is fixed", { timeout: 60_000 });
const done = (page: Page, timeout = 60_000) =>
  page
    .getByRole("status")
    .getByText("Done", { exact: true })
    .waitFor({ timeout })
    .catch(async (cause) => {
      throw new Error(`the run is not done:\n${await page.locator("main").innerText()}`, { cause });
    });

test("1: orders of two causes", async () => {
  const fail = async (prefix: string, counts: readonly [number, number]) => {
    const [sek, chf] = [idsOf(`${prefix}-sek`, counts[0]), idsOf(`${prefix}-chf`, counts[1])];
    const own: (() => Promise<void>)[] = [];
    for (const currency of ["SEK", "CHF"]) {
      const match = { currency };
      // The check beside it is done first: an agent that may still be at work keeps the next attempt waiting.
      own.push(await fault("payment", { kind: "slow", delayMs: 1500, match }));
      const message = `charges in ${currency} are switched off`;
      own.push(await fault("payment", { kind: "reject", status: 422, message, match }));
    }
    const begun = Date.now();
    await Promise.all([sendAll(sek, { currency: "SEK" }), sendAll(chf, { currency: "CHF" })]);
    return { begun, ids: [...sek, ...chf], fix: () => Promise.all(own.map((end) => end())) };
  };
  const some = await fail("a", [20, 12]);
  await named(/charges in SEK are switched off/, some.begun);
  await named(/charges in CHF are switched off/, some.begun);
  await allOf(some.ids, ({ processState, outbox }) => processState === "Error" && outbox.length === 0);
  await some.fix();
  await clicked(async (click, page) => {
    for (const [currency, count] of [
      ["SEK", 20],
      ["CHF", 12],
    ] as const) {
      await click(page.getByRole("link", { name: `charges in ${currency} are switched off` }));
      await click(page.getByRole("button", { name: `Resubmit all ${count}` }));
      await reasonFor(page);
      await click(page.getByRole("button", { name: /^Resubmit: \d+ orders/ }));
      await done(page);
      await click(page.getByRole("link", { name: "What still needs a person" }));
    }
  });
  await allOf(some.ids, isProcessed);

  const others = await fail("b", [3, 2]);
  await allOf(others.ids, ({ processState, outbox }) => processState === "Error" && outbox.length === 0);
  await others.fix();
  for (const words of [/SEK are switched off/, /CHF are switched off/]) {
    const preview = await orders("bulk", "resubmit", "--group", await idOf(words, "needs"));
    expect(await startOf(preview, "switched on")).toMatch(/^done: (\d+) of \1, \1 ended well/m);
  }
  await allOf(others.ids, isProcessed);
}, 300_000);

const isInItsWait = ({ processState, failureCount }: StateRecord) => processState === "Pending" && failureCount >= 3;

/** As many as wait for one agent before others are left in their queue (`NO_BACKLOG`), and those that were admitted by then. */
const ADMITTED = 75;
const IN_THE_QUEUE = /Messages in jobs wait for an agent for which too many wait already/;

test("2: an outage", async () => {
  const begun = Date.now();
  const end = await fault("payment", { kind: "down", status: 503, message: "down for maintenance" });
  const ids: string[] = [];
  const isNamed = named(/^payment: HTTP 503/, begun);
  for (let second = 0; second * 1000 < OUTAGE_MS; second += 1) {
    const these = idsOf(`out-${second}`, A_SECOND);
    ids.push(...these);
    await sendAll(these);
    await sleep(Math.max(0, begun + (second + 1) * 1000 - Date.now()));
  }
  await isNamed;
  // Not while an attempt is under way.
  await expect.poll(() => orders("needs")).toMatch(/waits for payment: HTTP 503.* since/);
  // In their wait of a minute: before it they go again so soon that there would be nothing to continue.
  const first = ids.slice(0, ADMITTED);
  for (const id of first) await app.eventually(id, isInItsWait, 120_000);
  // Of a longer outage the later ones wait in their queue, and take no place of orders that can go on: that is named too.
  const last = ids.slice(Math.max(ADMITTED, ids.length - 20));
  const areKnown = async (words: () => Promise<string>) =>
    (await app.records.of(last)).length === last.length || IN_THE_QUEUE.test(await words());
  const patiently = { timeout: 2 * MINUTE_MS };
  await expect.poll(() => areKnown(() => home.locator("main").innerText()), patiently).toBe(true);
  await expect.poll(() => areKnown(() => orders("needs")), patiently).toBe(true);
  await end();
  // They go again by themselves; who does not want to wait for their next try has them continue now.
  await clicked(async (click, page) => {
    await click(page.getByRole("link", { name: /^payment: HTTP 503/ }));
    await click(page.getByRole("button", { name: /^Continue now: all/ }));
    await reasonFor(page);
    // Of so many orders their number is typed.
    const asked = page.getByText(/^Type \d+ to confirm/);
    if (await asked.isVisible())
      await page.getByLabel(/^Type \d+ to confirm/).fill(/\d+/.exec(await asked.innerText())?.[0] ?? "");
    await click(page.getByRole("button", { name: /^Resubmit: \d+ orders?/ }));
    // Those that waited in their queue go on beside them.
    await done(page, MINUTE_MS + OUTAGE_MS);
  });
  for (const id of ids) await app.eventually(id, isProcessed, 180_000);
}, 600_000);

test("3: 20 poisoned messages", async () => {
  const begun = Date.now();
  const ids = idsOf("poisoned", 20);
  await sendAll(ids, { currency: "euro" });
  await named(/currency: must be an ISO 4217 code/, begun);
  await clicked(async (click, page) => {
    await click(page.getByRole("link", { name: "Quarantine", exact: true }));
    await click(page.getByRole("link", { name: /^currency: must be/ }).first());
    await click(page.getByText("Edit once for all"));
    await page.getByLabel("Currency").fill("EUR");
    await reasonFor(page);
    await click(page.getByRole("button", { name: "Send all 20 again, edited" }));
    await done(page);
  });
  await allOf(ids, isProcessed);
  await sendAll(["poisoned-b"], { currency: "euro" });
  await expect.poll(() => orders("needs")).toMatch(/quarantine: 1 message with "currency: must be/);
  const cause = await idOf(/currency: must be/, "dead-letter-causes", "quarantine");
  const given = ["--cause", cause, "--count", "1", "--set", "currency=EUR", "--reason", "the client's fault"];
  await orders("resend", "quarantine", ...given);
  await allOf(["poisoned-b"], isProcessed);
}, 240_000);

test("4: an approval", async () => {
  const ids = ["trip-a", "trip-b"];
  await fault("approval", { kind: "late", delayMs: 600_000 });
  const begun = Date.now();
  const lines = [{ sku: "TRIP", quantity: 1, unitPrice: 600_000 }];
  await sendAll(ids, { workflow: "trip", lines });
  await named(/approveTrip/, begun);
  await clicked(async (click, page) => {
    await click(page.getByRole("link", { name: "Steps that are done later" }));
    await click(page.getByRole("link", { name: "trip-a" }));
    await click(page.getByRole("button", { name: "Report approveTrip as done" }));
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Approval id").fill("A-7");
    await reasonFor(page);
    await click(dialog.getByRole("button", { name: "Report approveTrip as done" }));
    await page.getByText("Report approveTrip as done: done.").waitFor();
  });
  // It names the one that is next to run out of time, and counts the others.
  expect(await orders("needs")).toMatch(/^Steps that await a report: \d+/m);
  expect(await orders("awaiting")).toMatch(/trip-b\b.*\bapproveTrip\b|\bapproveTrip\b.*\btrip-b\b/);
  await orders(
    "report",
    "trip-b",
    "approveTrip",
    "done",
    "--result",
    "approvalId=A-8",
    "--reason",
    "asked by telephone",
  );
  await allOf(ids, ({ steps }) => steps["approveTrip"]?.state === "Completed");
}, 240_000);

test("5: a rotated key", async () => {
  const fail = async (prefix: string) => {
    const end = await fault("payment", { kind: "reject", status: 401, message: "key expired" });
    const begun = Date.now();
    const ids = idsOf(prefix, 6);
    await sendAll(ids);
    return { ids, end, begun };
  };
  const isHeld = ({ processState, steps }: StateRecord) =>
    processState === "Pending" && steps["takePayment"]?.expiry?.misconfigured === true;
  const some = await fail("key-a");
  await named(/^payment: HTTP 401/, some.begun);
  // One cause is one group.
  expect(await home.getByText(/^payment: .*HTTP 401/).count()).toBe(1);
  await allOf(some.ids, isHeld);
  await some.end();
  await clicked(async (click, page) => {
    await click(page.getByRole("link", { name: /^payment: HTTP 401/ }));
    await click(page.getByRole("button", { name: /^Continue now: all/ }));
    await reasonFor(page);
    await click(page.getByRole("button", { name: /^Resubmit: \d+ orders/ }));
    await done(page);
  });
  await allOf(some.ids, isProcessed);
  const others = await fail("key-b");
  await allOf(others.ids, isHeld);
  await others.end();
  await expect.poll(() => orders("needs")).toMatch(/waits for payment: HTTP 401.* since/);
  const preview = await orders("continue", await idOf(/HTTP 401/, "held"));
  expect(await startOf(preview, "the key is new")).toMatch(/ended well/);
  await allOf(others.ids, isProcessed);
}, 300_000);

test("6: a failed compensation", async () => {
  const fail = async (ids: readonly string[]) => {
    const message = "nobody delivers to this address";
    for (const orderId of ids) {
      await fault("shipping", { kind: "reject", status: 422, message, match: { orderId } });
    }
    const why = "authorizations are released by telephone";
    const end = await fault("payment", { kind: "reject", status: 409, path: "/charges/*/void", message: why });
    const begun = Date.now();
    await sendAll(ids);
    return { end, begun };
  };
  const isStuck = ({ error, outbox }: StateRecord) => error?.kind === "compensationIncomplete" && outbox.length === 0;
  const isCompensated = ({ processState }: StateRecord) => processState === "Compensated";
  const some = await fail(["void-a", "void-b"]);
  await named(/not compensated: takePayment/, some.begun);
  await allOf(["void-a", "void-b"], isStuck);
  await some.end();
  await clicked(async (click, page) => {
    await click(page.getByRole("link", { name: /^not compensated: takePayment/ }));
    await click(page.getByRole("button", { name: "Resubmit all 2" }));
    await reasonFor(page);
    await click(page.getByRole("button", { name: /^Resubmit: 2 orders/ }));
    await done(page);
  });
  await allOf(["void-a", "void-b"], isCompensated);
  const other = await fail(["void-c"]);
  await allOf(["void-c"], isStuck);
  await other.end();
  await expect.poll(() => orders("needs")).toMatch(/not compensated: takePayment/);
  expect(await orders("resubmit", "void-c", "--reason", "the bank takes it back")).toMatch(/resubmit done/);
  await allOf(["void-c"], isCompensated);
}, 300_000);

test("7: a frozen host", async () => {
  await home.reload();
  await home.locator("h1").waitFor();
  await app.stack.kill("host", "SIGSTOP");
  const begun = Date.now();
  try {
    await sendAll(["frozen-1", "frozen-2"]);
    // That earlier orders took too long may still stand.
    await named(NOT_KNOWN, begun);
    expect(await home.getByText("Nothing needs a person", { exact: true }).count()).toBe(0);
    expect(await orders("needs")).toMatch(/did not answer/);
  } finally {
    await app.stack.kill("host", "SIGCONT");
  }
  await allOf(["frozen-1", "frozen-2"], isProcessed);
}, 240_000);

test("8: a slow service", async () => {
  const end = await fault("shipping", { kind: "slow", delayMs: 60_000 });
  const begun = Date.now();
  const ids = idsOf("slow", 4);
  await sendAll(ids);
  await named(/shipping: /, begun);
  expect(await orders("needs")).toMatch(/waits for shipping/);
  await end();
  await allOf(ids, isProcessed);
}, 240_000);
