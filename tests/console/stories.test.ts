// An operator in a real browser, on the real stack: from what needs a person to its end.

import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { madeOrder } from "../support/made-order.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";
import { faultsOf } from "./axe.ts";
import { type OpenedPage, openBrowser, openPage } from "./browser.ts";
import { everyView } from "./every-view.ts";
import { keyboardOf } from "./keyboard.ts";
import { noDataStories } from "./no-data-stories.ts";
import { type Planted, plant, plantDecisions } from "./planted.ts";

let app: TestStack;
let browser: Browser;
let planted: Planted;
let base: string;

beforeAll(async () => {
  [app, browser] = await Promise.all([startTestStack(), openBrowser()]);
  base = `${app.stack.addresses.host?.url}/console`;
  planted = await plant(app, 4);
});
afterAll(async () => {
  await browser?.close();
  await app?.[Symbol.asyncDispose]();
});

const isProcessed = ({ processState }: StateRecord) => processState === "Processed";
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function visit(path: string, options?: Parameters<typeof openPage>[1]): Promise<OpenedPage> {
  const opened = await openPage(browser, options);
  await opened.page.goto(base + path);
  return opened;
}

test("from the group of a cause to an order that goes on, by keyboard alone; nothing is blocked or reported", async () => {
  const { page, errors } = await visit("/");
  const group = page.getByRole("article").filter({ hasText: "has expired" });
  await expect.poll(() => group.locator(".count").textContent()).toBe(String(planted.rejected.length));
  const { press, type } = keyboardOf(page);
  await press((await group.getByRole("link").textContent()) ?? "");
  await page.getByText("Orders with this cause").waitFor();
  expect(new URL(page.url()).searchParams.get("group")).toMatch(/^[0-9a-f]{16}$/);
  await press("rejected-1");
  await page.getByRole("heading", { name: "rejected-1" }).waitFor();
  await press("Resubmit");
  await page.getByRole("dialog").waitFor();
  await type("Reason*", "card renewed");
  await press("Resubmit");
  await page.getByText("Resubmit: done.").waitFor();
  const record = await app.eventually("rejected-1", isProcessed);
  expect(record.history.at(-1)).toBeDefined();
  expect(record.history.map(({ what }) => what)).toContain("resubmitted, attempt 2: card renewed");
  await page.getByText("Processed").first().waitFor();
  expect(errors).toEqual([]);
});

test("all orders of a cause are resubmitted after a preview; it stops by itself where the cause is still there", async () => {
  const fix = await Promise.all(
    ["again-1", "again-2"].map(async (orderId) => {
      await app.switchOn("payment", { kind: "slow", delayMs: 1000, calls: 1, match: { orderId } });
      const end = await app.switchOn("payment", {
        kind: "reject",
        status: 402,
        message: "no such card",
        match: { orderId },
      });
      await app.shop.send(madeOrder(orderId));
      await app.eventually(orderId, ({ processState, outbox }) => processState === "Error" && outbox.length === 0);
      return end;
    }),
  );
  const { page } = await visit("/");
  const isListed = async () => {
    await page.reload();
    await page.waitForLoadState("networkidle");
    return page.getByRole("link", { name: "no such card" }).count();
  };
  await expect.poll(isListed).toBe(1);
  await page.getByRole("link", { name: "no such card" }).click();
  await button(page, "Resubmit all 2").click();
  await page.getByText("Resubmit: 2 orders.").waitFor();
  await page.getByLabel("Reason").fill("the card service is back");
  await button(page, "Resubmit: 2 orders (this machine)").click();
  await page.getByText(/^Stopped by itself: 100% of the last wave/).waitFor({ timeout: 20_000 });
  await page.getByRole("row", { name: /Same cause again no such card/ }).waitFor();

  await Promise.all(fix.map((end) => end()));
  await page.goto(`${base}/`);
  await page.getByRole("link", { name: "no such card" }).click();
  await button(page, "Resubmit all 2").click();
  await page.getByLabel("Reason").fill("now it is");
  await button(page, "Resubmit: 2 orders (this machine)").click();
  await page.getByRole("status").getByText("Done", { exact: true }).waitFor({ timeout: 20_000 });
  for (const orderId of ["again-1", "again-2"]) await app.eventually(orderId, isProcessed);
});

test("by keyboard alone: an edit has its faults at the fields and its changes shown; the order goes on with it", async () => {
  const { page, errors } = await visit("/jobs/rejected-2");
  const { press, type } = keyboardOf(page);
  await press("Edit and resubmit");
  await type("Currency", "euro");
  await type("Unit price", "7");
  await page.getByRole("row", { name: "currency EUR euro" }).waitFor();
  await type("Reason*", "another price");
  await press("Edit and resubmit");
  await page.getByText("must be an ISO 4217 code such as EUR").first().waitFor();
  expect(await page.getByLabel("Currency").getAttribute("aria-invalid")).toBe("true");
  await type("Currency", "SEK");
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await page.route("**/resubmit", async (route) => {
    await held;
    await route.continue();
  });
  await press("Edit and resubmit");
  await page.getByRole("dialog").getByRole("status").getByText("Working on it").waitFor();
  goOn();
  await page.getByText("Edit and resubmit: done.").waitFor();
  const record = await app.eventually("rejected-2", isProcessed);
  expect(record).toMatchObject({ jobRevision: 2, steps: { takePayment: { result: { amount: 14 } } } });
  // The browser reports the answer 400 itself.
  expect(errors.filter((error) => !error.includes("400"))).toEqual([]);
});

test("what another operator did meanwhile is shown beside the draft, and nothing is done until it is seen", async () => {
  const { page } = await visit("/jobs/rejected-3");
  await button(page, "Compensate").click();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await button(page, "Compensate").evaluate((one) => one.matches(":focus"))).toBe(true);
  await page.keyboard.press("Enter");
  await page.getByLabel("Reason").fill("the client asked for it");
  const settled = await app.call("api/jobs/rejected-3/markResolved", {
    method: "POST",
    headers: { "content-type": "application/json", "x-ms-client-principal-name": "ada@example.com" },
    body: JSON.stringify({ reason: "refunded by the bank" }),
  });
  expect(settled.status).toBe(200);
  await page.getByRole("dialog").getByRole("button", { name: "Compensate" }).click();
  const change = page.getByRole("alert").filter({ hasText: "Somebody else has changed this order" });
  await change.getByText("refunded by the bank (ada@example.com)").waitFor();
  expect(await page.getByLabel("Reason").inputValue()).toBe("the client asked for it");
  expect((await app.eventually("rejected-3", () => true)).attempt).toBe(1);
  await button(page, "I have seen the change: Compensate").click();
  await page.getByText(/^Compensate: done/).waitFor();
  await app.eventually("rejected-3", ({ processState }) => processState === "Compensated");
  await button(page, "Show what operators and supervisors did").click();
  await page.getByRole("row", { name: /ada@example.com Mark resolved refunded by the bank$/ }).waitFor();
  await page
    .getByRole("row", { name: /local-operator Compensate rejected: it is not .* the client asked for it$/ })
    .waitFor();
  await page.getByRole("row", { name: /local-operator Compensate the client asked for it$/ }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
});

test("a message in the quarantine is read with its faults, fixed and sent again", async () => {
  const { page, errors } = await visit("/");
  const queue = page.getByRole("article").filter({ has: page.getByRole("link", { name: "Quarantine", exact: true }) });
  await expect.poll(() => queue.locator(".count").textContent()).toBe("1");
  expect(await queue.getByRole("listitem").textContent()).toMatch(/lines: must not be empty ?less than 1 min ago$/);
  await queue.getByRole("link").click();
  await page.locator("tbody").getByRole("link").first().click();
  await page.getByText("currency: must be an ISO 4217 code such as EUR").waitFor();
  // Each fault is at its field, and nobody writes JSON.
  const form = page.getByRole("group", { name: "Edit the body" });
  await form.getByText("must be an ISO 4217 code such as EUR").waitFor();
  await form.getByLabel("Currency").fill("EUR");
  await form.getByRole("button", { name: "Add", exact: false }).click();
  await form.getByLabel("Sku").fill("TEA-1");
  expect(await faultsOf(page)).toEqual([]);
  await page.getByLabel("Reason").fill("the client's fault, fixed");
  await button(page, "Send again").click();
  await page.getByText("Sent to jobs.").waitFor();
  await app.eventually("unreadable-1", isProcessed);
  expect(errors).toEqual([]);
});

test("a message that was discarded is found, fixed and sent again, by keyboard alone", async () => {
  await app.shop.send({ ...madeOrder("unreadable-2"), currency: "euro" });
  // The other one there has two.
  const isThere = async () => (await app.records.quarantined()).some(({ faults }) => faults.length === 1);
  await expect.poll(isThere).toBe(true);
  const { page, errors } = await visit("/dead-letters/quarantine");
  const { press, type } = keyboardOf(page);
  const row = page.getByRole("row").filter({ hasText: "unreadable-2" });
  await press((await row.getByRole("link").textContent()) ?? "");
  await type("Reason*", "nobody misses it");
  await press("Discard");
  await page.getByText(/^Discarded\. Until 20\d\d-/).waitFor();
  await press("See the discarded message");
  await page.getByText("nobody misses it").waitFor();
  await press("Edit as JSON");
  const order = JSON.parse(await page.getByLabel("Edit the body").inputValue());
  await type("Edit the body", JSON.stringify({ ...order, currency: "EUR" }));
  await type("Reason*", "the client misses it");
  await press("Send again");
  await page.getByText("Sent to jobs.").waitFor();
  await app.eventually("unreadable-2", isProcessed);
  await press("Discarded messages");
  await page.getByText("Nothing was discarded in the last 14 days").waitFor();
  expect(errors).toEqual([]);
});

test("who leads, and what the sweeps decided in a time, page by page; from a decision to its order", async () => {
  // More entries of one instant than a page has: none is shown twice, none is left out.
  await plantDecisions(app, "2026-01-31", 60);
  const { page, errors } = await visit("/supervision");
  await page.getByRole("heading", { name: /^Active: / }).waitFor();
  await page.getByText(/^epoch \d+, since \d/).waitFor();
  await page.getByRole("row", { name: /Sweep/ }).first().waitFor();
  await page.goto(`${base}/supervision?from=2026-01-31T00:00:00.000Z&to=2026-02-01T00:00:00.000Z`);
  const rows = page.locator("tbody tr");
  await expect.poll(() => rows.count()).toBe(50);
  expect(await rows.first().textContent()).toContain("Late replyplain-1takePayment, attempt 1: attempt 2 holds it");
  await button(page, "Show more").click();
  await expect.poll(() => rows.count()).toBe(62);
  const shown = await rows.locator("td:nth-child(4)").allTextContents();
  expect(new Set(shown).size).toBe(61);
  expect(await rows.filter({ hasText: "planned-lost" }).textContent()).toContain("was written by another first");
  const decided = rows.filter({ hasText: "plain-1" }).filter({ hasText: "Next attempt" });
  expect(await decided.textContent()).toContain("Waiting, takePayment, attempt 2, 1 failure");
  expect(await decided.textContent()).toContain(
    "takePayment (payment) timed out in attempt 1, after 4 tries at primary: HTTP 503",
  );
  const died = "timed out in attempt 1: the cause is unknown. Its process may have crashed.";
  // Exactly: there is a planned-10 too, and entries of one instant have no order.
  const planned = rows.filter({ has: page.getByText("planned-1", { exact: true }) });
  expect(await planned.textContent()).toContain(died);
  await decided.getByRole("link").click();
  await page.getByRole("heading", { name: "plain-1" }).waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "Earlier" }).click();
  await page.getByText("Nothing is recorded in this time").waitFor();
  expect(new URL(page.url()).search).toBe("?to=2026-01-31T00%3A00%3A00.000Z");
  expect(errors).toEqual([]);
});

test("by keyboard alone: an agent is paused and resumed, a decision leads to its order, and a customer's orders are found", async () => {
  await app.shop.send({ ...madeOrder("customers-1"), customer: { id: "C-17" } });
  await app.eventually("customers-1", isProcessed);
  await plantDecisions(app, "2026-01-29", 1);
  const { page, errors } = await visit("/");
  const { press, type } = keyboardOf(page);
  await press("Agents");
  await press("Pause shipping");
  await type("Reason*", "the carrier asks for it");
  await press("Pause shipping (this machine)");
  const notice = page.getByRole("status").filter({ hasText: "Agent shipping is paused" });
  await notice.waitFor();
  await press("Overview");
  await notice.waitFor();
  await page.getByText("Need a person", { exact: true }).waitFor();
  await press("Agents");
  await press("Resume shipping");
  await type("Reason*", "it is back");
  await press("Resume shipping (this machine)");
  await notice.waitFor({ state: "detached" });

  await press("Supervision");
  await page.getByRole("heading", { name: /^Active: / }).waitFor();
  await page.goto(`${base}/supervision?to=2026-01-29T12:00:00.000Z`);
  await press("plain-1");
  await page.getByRole("heading", { name: "plain-1" }).waitFor();

  await press("Search");
  await type("Business key", "C-17");
  await press("Find");
  // The browser says what is missing: nothing is asked.
  expect(new URL(page.url()).search).toBe("");
  await type("Business key", "customer:C-17");
  await press("Find");
  await page.getByText("1 order").waitFor();
  expect(new URL(page.url()).searchParams.get("key")).toBe("customer:C-17");
  await press("customers-1");
  await page.getByRole("heading", { name: "customers-1" }).waitFor();
  await page.goBack();
  expect(await page.getByLabel("Business key").inputValue()).toBe("customer:C-17");
  expect(errors).toEqual([]);
});

test("of two operators one takes an order: the other sees the name in the list and with the order, and may release it", async () => {
  const as = (name: string) => ({ extraHTTPHeaders: { "x-ms-client-principal-name": name } });
  const [ada, bob] = await Promise.all([
    visit("/jobs/stuck-1", as("ada@example.com")),
    visit("/jobs/stuck-1", as("bob@example.com")),
  ]);
  await button(bob.page, "Take").waitFor();
  await button(ada.page, "Take").click();
  await ada.page.getByText("Taken by ada@example.com").waitFor();
  // Bob's view does not show it yet.
  await button(bob.page, "Take").click();
  await bob.page.getByRole("alert").getByText("ada@example.com has taken it").waitFor();
  expect(ada.errors).toEqual([]);
  await bob.page.goto(`${base}/`);
  const row = bob.page.getByRole("row").filter({ hasText: "stuck-1" });
  await row.getByText("Taken by ada@example.com").waitFor();
  expect(await faultsOf(bob.page)).toEqual([]);
  await row.getByRole("link", { name: "stuck-1" }).click();
  await button(bob.page, "Release").click();
  await button(bob.page, "Take").waitFor();
  expect(await bob.page.getByText("Taken by").count()).toBe(0);
});

test("an order shows its sender, of each step how many tries count as failures, and what was published of it; its trace is a link", async () => {
  const { page } = await openPage(browser);
  await page.route("**/api/session", async (route) => {
    const response = await route.fetch();
    const traceUrl = "https://traces.example/{traceId}?view=all";
    await route.fulfill({ response, json: { ...(await response.json()), traceUrl } });
  });
  await page.route("**/api/jobs/plain-1", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    Object.assign(body.record, { owner: "tea", traceparent: `00-${"a1".repeat(16)}-${"b2".repeat(8)}-01` });
    body.statuses.at(-1).delivery = "owed";
    Object.assign(body.record.steps.takePayment, { retryCount: 3, failureCount: 2 });
    await route.fulfill({ response, json: body });
  });
  await page.goto(`${base}/jobs/plain-1`);
  await page.getByText("3 retries · 2 counted as failures").waitFor();
  expect(await page.locator("dl > div").filter({ hasText: "Sender" }).textContent()).toBe("Sendertea");
  const trace = page.getByRole("link", { name: /^[0-9a-f]{32}$/ });
  expect(await trace.getAttribute("href")).toBe(`https://traces.example/${await trace.textContent()}?view=all`);
  const published = page.locator(".statuses li");
  const words = async () => (await published.allTextContents()).map((text) => text.replace(/^.*\d\d:\d\d:\d\d /, ""));
  expect(await words()).toContain("StepCompleted, takePayment ✓ sent");
  expect((await words()).at(-1)).toBe("Completed ◔ to be sent");
  await page.getByText("To replies-shop: 1 is still to be sent.").waitFor();
  // The page asks for the order again and again.
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

test("20,000 events do not hang an order's view: they come page by page, and marks in one place are one; failures alone", async () => {
  const { page, errors } = await openPage(browser);
  await page.route("**/api/jobs/plain-1", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    const begun = Date.parse(body.record.createdAt);
    body.record.history = Array.from({ length: 20_000 }, (_, place) => ({
      at: new Date(begun + place * 1000).toISOString(),
      what: place % 1000 === 0 ? `expired in takePayment, ${place}` : `event ${place}`,
      by: "supervisor",
    }));
    const { takePayment } = body.record.steps;
    const message = "503 Service Unavailable";
    takePayment.expiry = { at: body.record.createdAt, attempt: 1, tries: 4, endpoint: "primary", message };
    takePayment.retryCount = 1;
    await route.fulfill({ response, json: body });
  });
  await page.goto(`${base}/jobs/plain-1`);
  await page.getByText("event 19999", { exact: true }).waitFor();
  await page.getByText("Not done in time in attempt 1, after 4 tries (primary): 503 Service Unavailable").waitFor();
  const entries = page.locator(".history li");
  expect(await entries.count()).toBe(50);
  expect(await page.locator(".timeline .event").count()).toBeLessThanOrEqual(201);
  await page.getByText("50 of 20,000").waitFor();
  await page.locator("section", { has: entries.first() }).getByRole("button", { name: "Show more" }).click();
  await page.getByText("100 of 20,000").waitFor();
  await page.getByRole("checkbox", { name: "Only what failed" }).check();
  await expect.poll(() => entries.count()).toBe(20);
  expect(await page.locator(".timeline .label").allTextContents()).toEqual(["takePayment", "Events"]);
  expect(await faultsOf(page)).toEqual([]);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  expect(errors).toEqual([]);
});

noDataStories(() => ({ app, browser, base }));
everyView(() => ({ app, browser, base }));
