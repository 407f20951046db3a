// The first view says that nothing needs a person only if every one of its queries says so; and what is held up is named, and goes on.
import { setTimeout as sleep } from "node:timers/promises";
import type { HeldUp, Inspection, Session } from "@scheduler-agent-supervisor/operator/contract";
import { waitInWords } from "@scheduler-agent-supervisor/operator/domain";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { madeOrder } from "../support/made-order.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";
import { faultsOf } from "./axe.ts";
import { openBrowser, openPage } from "./browser.ts";

let app: TestStack;
let browser: Browser;
let host: string;
beforeAll(async () => {
  [app, browser] = await Promise.all([startTestStack(), openBrowser()]);
  host = app.stack.addresses.host?.url ?? "";
});
afterAll(async () => {
  await browser?.close();
  await app?.[Symbol.asyncDispose]();
});

const CLEAR = "Nothing needs a person";
const QUERIES = {
  changes: "The app itself",
  attention: "Orders in Error",
  "held-up": "Held up",
  "dead-letters": "Messages that could not be processed",
  awaiting: "Awaiting a report",
  session: "Pauses",
  "waiting-messages": "Waiting messages",
  reports: "Reported by the app",
  supervisor: "Supervision",
  agents: "Agents",
  "bulk?open=true": "Actions on many orders",
} as const;
/** Named with the others; their own place is the header, or a line. */
const WITHOUT_SECTION: readonly string[] = ["attention", "session", "changes", "bulk?open=true"];

const RUN = {
  ...{ bulkId: "0123", action: "resubmit", at: "2026-01-01T00:00:00.000Z", by: "ada", reason: "fixed", extendBy: null },
  ...{ direction: null, goesOn: null, keys: null, cause: null, filter: null, isAll: true, total: 2, wave: 1 },
  counts: { done: 2, skipped: 0, well: 0, same: 2, other: 0 },
};
const now = () => new Date().toISOString();
const LONG_AGO = "2026-01-01T00:00:00.000Z";
const LEADER = { name: "s", epoch: 3, since: LONG_AGO, leads: true };
const PAUSE = { kind: "agent", name: "payment", by: "ada", at: LONG_AGO, reason: "the bank asks for it" };
const waiting = (waits: readonly object[]) => ({ asOf: now(), queues: [{ queue: "jobs", waits }] });
const withEndpoint = (trouble: object) => {
  const well = { endpoint: "https://pay.example/", health: "healthy", inFlight: 0, capacity: 16, isSlow: false };
  const endpoints = [{ ...well, lastError: null, ...trouble }];
  return {
    asOf: now(),
    pauses: [],
    workflows: [],
    agents: [{ name: "payment", instances: [{ instance: "i", at: now(), endpoints }] }],
  };
};

async function home(prepare: (page: Page) => Promise<unknown> = async () => {}) {
  const { page } = await openPage(browser);
  await prepare(page);
  await page.goto(`${host}/console`);
  return page;
}

async function api<T>(path: string): Promise<T> {
  return (await (await app.call(`api/${path}`)).json()) as T;
}

describe("P30 the all-clear", () => {
  test("is given if all queries have nothing", async () => {
    const page = await home();
    await page.getByText(CLEAR, { exact: true }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test.each(Object.entries(QUERIES))("not if %s answers 500: the view names the part", async (path, part) => {
    const page = await home((one) => one.route(`**/api/${path}`, (route) => route.fulfill({ status: 500, body: "" })));
    const notice = page.getByRole("alert").filter({ hasText: "It is not known whether something needs a person" });
    await notice.getByText(`No answer, or one that is too old: ${part}.`).waitFor();
    if (!WITHOUT_SECTION.includes(path)) {
      const section = page.getByRole("region", { name: part });
      await section.getByText(`${part}: not known. The app could not answer.`).waitFor();
    }
    expect(await page.getByText(CLEAR, { exact: true }).count()).toBe(0);
    expect(await faultsOf(page)).toEqual([]);
  });

  test("not if a query is never answered: after ten seconds the view says so", async () => {
    const page = await home((one) => one.route("**/api/awaiting", () => {}));
    const section = page.getByRole("region", { name: QUERIES.awaiting });
    await section.getByText("The app did not answer in time").waitFor({ timeout: 25_000 });
    await page.getByText(`No answer, or one that is too old: ${QUERIES.awaiting}.`).waitFor();
    expect(await page.getByText(CLEAR, { exact: true }).count()).toBe(0);
  });

  test.each([
    [
      "a page in place of the app",
      { contentType: "text/html", body: "<html>Sign in</html>" },
      /Something else answered/,
    ],
    ["nothing at all", { body: "" }, /Something else answered/],
    ["a list in place of an object", { json: [] }, /Something else answered/],
    ["who is not signed in", { status: 401, json: { error: "no" } }, /You are not signed in/],
    ["who may not see it", { status: 403, json: { error: "no" } }, /You may not see or do this/],
    ["304 without having been asked for it", { status: 304 }, /The app could not answer/],
  ])("not if the answer is for %s", async (_, answer, words) => {
    const page = await home((one) => one.route("**/api/held-up", (route) => route.fulfill(answer)));
    await page.getByRole("region", { name: QUERIES["held-up"] }).getByText(words).waitFor();
    await page.getByText(`No answer, or one that is too old: ${QUERIES["held-up"]}.`).waitFor();
    expect(await page.getByText(CLEAR, { exact: true }).count()).toBe(0);
  });

  test("an answer that the page does not understand leaves no empty page", async () => {
    const page = await home((one) => one.route("**/api/attention", (route) => route.fulfill({ json: { count: 2 } })));
    await page.getByRole("alert").filter({ hasText: "This view could not be shown" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Search" }).click();
    await page.getByRole("heading", { name: "Search" }).waitFor();
  });

  test("nor does a session that it does not understand, nor a view that is still on its way", async () => {
    const page = await home((one) => one.route("**/api/session", (route) => route.fulfill({ json: { pauses: 1 } })));
    await page.getByRole("alert").filter({ hasText: "This view could not be shown" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.unroute("**/api/session");
    await page.route(/\/(search|overview)-[^/]+\.js/, () => {});
    await page.goto(`${host}/console/overview`);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test("who is paused, and who handles what: not known, in words, where it is not known", async () => {
    const failed = { status: 500, body: "" };
    const session = await api<Session>("session");
    const page = await home(async (one) => {
      await one.route("**/api/session", (route) => route.fulfill({ json: { ...session, pauses: null } }));
      await one.route("**/api/taken", (route) => route.fulfill(failed));
    });
    await page.getByText("What is paused: not known.").waitFor();
    await page.getByText("No answer, or one that is too old: Pauses.").waitFor();
    await page.goto(`${host}/console/awaiting`);
    await page.getByText("Who handles what: not known.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.route("**/api/session", (route) => route.fulfill(failed));
    await page.goto(`${host}/console/agents`);
    await page.getByText("Who you are, what you may do and what is paused: not known.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test("what happens is read at once: the page does not wait for its turn", async () => {
    const { page } = await openPage(browser);
    await page.clock.install();
    await page.goto(`${host}/console`);
    await page.getByText(CLEAR, { exact: true }).waitFor();
    const count = { asOf: now(), count: 1, isAll: false, groups: [] };
    await page.route("**/api/held-up", (route) => route.fulfill({ json: count }));
    await page.route("**/api/changes", (route) => route.fulfill({ json: { process: "another", count: 1 } }));
    // The lists' own turn comes after 45 seconds.
    await page.clock.runFor("00:25");
    await page.getByText("More orders may be held up than are read at once.").waitFor();
    expect(await page.getByText(CLEAR, { exact: true }).count()).toBe(0);
  });

  test("a list of what awaits a report says what is old, and shows nothing good then", async () => {
    const { page } = await openPage(browser);
    await page.clock.install();
    await page.goto(`${host}/console/awaiting`);
    const nothing = page.locator(".notice").filter({ hasText: "No step awaits a report" });
    await nothing.waitFor();
    expect(await nothing.getAttribute("class")).toContain("notice-good");
    await page.route("**/api/**", () => {});
    await page.clock.fastForward("01:00:00");
    await nothing.getByText("This may be out of date").waitFor();
    expect(await nothing.getAttribute("class")).not.toContain("notice-good");
  });

  test("ages are by the app's clock, where the browser's is an hour slow", async () => {
    const { page } = await openPage(browser);
    await page.clock.install({ time: Date.now() - 3_600_000 });
    const since = new Date(Date.now() - 1_800_000).toISOString();
    const leader = { ...LEADER, since };
    await page.route("**/api/supervisor", (route) => route.fulfill({ json: { leader } }));
    const held = { ...waiting([{ cause: "notTaken", since }]), asOf: new Date().toISOString() };
    await page.route("**/api/waiting-messages", (route) => route.fulfill({ json: held }));
    await page.goto(`${host}/console`);
    // What was drawn before the first real answer, which says the app's time, follows at its next tick.
    await page.locator("main time").first().waitFor();
    await page.clock.runFor("00:12");
    await page
      .getByText(/\b3\d min .*ago/)
      .first()
      .waitFor();
  });

  test("not if an answer is old", async () => {
    const { page } = await openPage(browser);
    await page.clock.install();
    await page.goto(`${host}/console`);
    await page.getByText(CLEAR, { exact: true }).waitFor();
    await page.route("**/api/**", () => {});
    await page.clock.fastForward("05:00");
    await page.getByText("It is not known whether something needs a person").waitFor();
  });

  test("not within a minute after a query without an answer: the next one may have gone to another host", async () => {
    const { page } = await openPage(browser);
    await page.clock.install();
    await page.goto(`${host}/console`);
    const clear = page.getByText(CLEAR, { exact: true });
    await clear.waitFor();
    const unanswered = page.getByText(`No answer, or one that is too old: ${QUERIES["waiting-messages"]}.`);
    // By seconds, with a pause: the time that a request has is of this clock too, and it is under way meanwhile.
    const pass = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        await page.clock.runFor(1_000);
        await sleep(50);
      }
    };
    await page.route("**/api/waiting-messages", (route) => route.fulfill({ status: 403, json: { error: "no" } }));
    await pass(22);
    await unanswered.waitFor();
    await page.unroute("**/api/waiting-messages");
    const answered = page.waitForResponse((response) => response.url().endsWith("waiting-messages") && response.ok());
    await pass(22);
    await answered;
    await pass(4);
    expect(await unanswered.count()).toBe(1);
    expect(await clear.count()).toBe(0);
    await pass(40);
    await clear.waitFor();
  });

  test.each([
    [
      "a message in quarantine",
      "dead-letters",
      { queues: [{ queue: "quarantine", count: 20, isAll: true, oldestAt: null, causes: [] }] },
    ],
    ["a queue that could not be counted", "dead-letters", { queues: [{ queue: "jobs", error: "403" }] }],
    ["no supervisor", "supervisor", { leader: { name: "s", epoch: 3, since: null, leads: false } }],
    ["no supervisor ever", "supervisor", { leader: null }],
    [
      "gauges that nobody measures",
      "supervisor",
      { leader: LEADER, gauges: { lastAt: LONG_AGO, isLate: true, failing: null } },
    ],
    [
      "a gauge that can't be measured",
      "supervisor",
      { leader: LEADER, gauges: { lastAt: LONG_AGO, isLate: false, failing: { since: LONG_AGO, fault: "403" } } },
    ],
    ["a message that nobody takes", "waiting-messages", waiting([{ cause: "notTaken", since: LONG_AGO }])],
    ["a queue that could not be read", "waiting-messages", { asOf: now(), queues: [{ queue: "jobs", error: "403" }] }],
    ["an endpoint that gets no calls", "agents", withEndpoint({ health: "broken" })],
    ["a slow endpoint", "agents", withEndpoint({ isSlow: true })],
    ["a pause that the session could not read", "agents", { ...withEndpoint({}), pauses: [PAUSE] }],
    ["more held up than are read", "held-up", { asOf: now(), count: 0, isAll: false, groups: [] }],
    [
      "an action on many orders that has stopped by itself",
      "bulk?open=true",
      { runs: [{ ...RUN, state: "stopped", stopped: "50%", updatedAt: new Date().toISOString() }] },
    ],
    [
      "an action on many orders that somebody has paused, yesterday",
      "bulk?open=true",
      { runs: [{ ...RUN, state: "paused", stopped: null, updatedAt: LONG_AGO }] },
    ],
    ["a job that is held up", "held-up", { asOf: "2026-01-01T00:00:00.000Z", count: 1, isAll: true, groups: [] }],
  ])("not with %s", async (_, path, json) => {
    // As of now: one that is old is not known at all.
    const answer = { ...json, ...("asOf" in json && { asOf: now() }) };
    const page = await home((one) => one.route(`**/api/${path}`, (route) => route.fulfill({ json: answer })));
    await page.waitForLoadState("networkidle");
    expect(await page.getByText(CLEAR, { exact: true }).count()).toBe(0);
  });

  test.each(["attention", "held-up", "awaiting", "waiting-messages", "reports", "agents"] as const)(
    "not if the answer of %s is new and what it says is minutes old",
    async (path) => {
      const answer = { ...(await api<object>(path)), asOf: new Date(Date.now() - 180_000).toISOString() };
      const page = await home((one) => one.route(`**/api/${path}`, (route) => route.fulfill({ json: answer })));
      await page.getByText(`No answer, or one that is too old: ${QUERIES[path]}.`).waitFor();
      expect(await page.getByText(CLEAR, { exact: true }).count()).toBe(0);
    },
  );

  test("what is wrong with the app itself is named, and since when", async () => {
    const page = await home(async (one) => {
      const answers = {
        supervisor: { leader: null },
        "waiting-messages": waiting([{ cause: "WorkflowPaused", since: LONG_AGO }]),
        agents: withEndpoint({ health: "broken", lastError: "HTTP 503", since: LONG_AGO }),
      };
      for (const [path, json] of Object.entries(answers)) {
        await one.route(`**/api/${path}`, (route) => route.fulfill({ json }));
      }
    });
    const main = page.locator("main");
    await main.getByRole("link", { name: "No supervisor is active" }).waitFor();
    const message = main.getByRole("article").filter({ hasText: "Messages in jobs wait for their workflow" });
    await message.getByText(/^Since /).waitFor();
    await main.getByRole("link", { name: "payment: an endpoint gets no calls: HTTP 503" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });
});

test("P30 orders that wait for a new key are held up by it, each says why, and all continue at once when it is there", async () => {
  const fix = await app.switchOn("payment", { kind: "reject", status: 401, message: "key expired" });
  const orderIds = ["held-1", "held-2", "held-3"];
  for (const orderId of orderIds) await app.shop.send(madeOrder(orderId));
  for (const orderId of orderIds) {
    await app.eventually(orderId, ({ processState, attempt }) => processState === "Pending" && attempt === 2, 60_000);
  }
  // Between two attempts: the page asks again only after a while.
  const groups = async () =>
    (await api<HeldUp>("held-up")).groups.map(({ count, wait }) => [count, wait.until !== null]);
  await expect.poll(groups).toEqual([[3, true]]);
  const page = await home();
  const group = page.getByRole("article").filter({ hasText: "payment: HTTP 401" });
  await expect.poll(() => group.locator(".count").textContent()).toBe("3");
  await group.getByText(/takePayment/).waitFor();
  await group.getByText(/Since .*\d\d:\d\d:\d\d .*next try \d\d:\d\d:\d\d/).waitFor();
  expect(await page.getByText(CLEAR, { exact: true }).count()).toBe(0);
  expect(await faultsOf(page)).toEqual([]);

  // The same sentence in the view of an order, and in the API in UTC.
  const { waits } = await api<Inspection>("jobs/held-1");
  const [wait] = waits;
  expect(wait?.text).toMatch(/^waits for payment: HTTP 401.* since 20\d\d-.*Z, tries again at 20\d\d-.*Z; /);
  const berlin = new Intl.DateTimeFormat("sv-SE", { timeZone: "Europe/Berlin", timeStyle: "medium" });
  await group.getByRole("link").click();
  await page.getByRole("link", { name: "held-1" }).click();
  const box = page.locator(".cause-box").filter({ hasText: "Why this order waits" });
  expect(wait && (await box.textContent())).toContain(wait && waitInWords(wait, (at) => berlin.format(new Date(at))));
  expect(await faultsOf(page)).toEqual([]);

  await fix();
  await page.goBack();
  await page.getByRole("button", { name: "Continue now: all 3" }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Continue now: all 3" }).click();
  await page.getByLabel("Reason").fill("the key is new");
  await page.getByRole("button", { name: /^Resubmit: 3 orders/ }).click();
  // Long before their next try, which is five minutes away.
  for (const orderId of orderIds) {
    await app.eventually(orderId, ({ processState }) => processState === "Processed", 60_000);
  }
  await expect.poll(async () => (await api<HeldUp>("held-up")).count).toBe(0);
}, 180_000);
