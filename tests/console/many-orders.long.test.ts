// An operator in a real browser with many orders: searches, and actions on what a search has found.
import { readFileSync } from "node:fs";
import { agentHealth } from "@scheduler-agent-supervisor/operator/contract";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { madeOrder } from "../support/made-order.ts";
import { messagesIn } from "../support/queue-contents.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";
import { faultsOf } from "./axe.ts";
import { type OpenedPage, openBrowser, openPage } from "./browser.ts";
import { keyboardOf } from "./keyboard.ts";
import { plant } from "./planted.ts";

let app: TestStack;
let browser: Browser;
let base: string;

beforeAll(async () => {
  [app, browser] = await Promise.all([startTestStack(), openBrowser()]);
  base = `${app.stack.addresses.host?.url}/console`;
  await plant(app, 4);
});
afterAll(async () => {
  await browser?.close();
  await app?.[Symbol.asyncDispose]();
});

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function visit(path: string, options?: Parameters<typeof openPage>[1]): Promise<OpenedPage> {
  const opened = await openPage(browser, options);
  await opened.page.goto(base + path);
  return opened;
}

test("a search has an address, and Back restores it", async () => {
  const { page } = await visit("/search");
  await page.getByLabel("Order id or correlation id").fill("plain");
  await page.getByLabel("State").selectOption("Processed");
  await button(page, "Find").click();
  await page.getByRole("link", { name: "plain-1" }).click();
  await page.getByRole("heading", { name: "plain-1" }).waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "plain-1" }).waitFor();
  expect(new URL(page.url()).search).toBe("?q=plain&state=Processed");
  expect(await page.getByLabel("Order id or correlation id").inputValue()).toBe("plain");
});

test("a search by workflow, version and time; Back restores its times, in the zone that is chosen", async () => {
  const { page, errors } = await visit("/search");
  const [record] = await app.records.of(["plain-1"]);
  const { version = 0 } = record?.workflow ?? {};
  await page.getByLabel("Workflow").fill("order-fulfilment");
  await page.getByLabel("Version").fill(String(version));
  await page.getByLabel("State").selectOption("Processed");
  await page.getByLabel("Time of").selectOption("Ended");
  await page.getByLabel("Times in").selectOption("UTC");
  await page.getByLabel("From").fill("2026-01-31T12:00");
  await button(page, "Find").click();
  await page.getByRole("link", { name: "plain-1" }).waitFor();
  const wanted = { state: "Processed", workflow: "order-fulfilment", version: String(version), timeOf: "ended" };
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
    ...wanted,
    from: "2026-01-31T12:00:00.000Z",
  });
  expect(await faultsOf(page)).toEqual([]);
  await page.getByLabel("From").fill("");
  await page.getByLabel("Before").fill("2026-01-31T12:00");
  await button(page, "Find").click();
  await page.getByText("No order matches").waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "plain-1" }).waitFor();
  expect(await page.getByLabel("From").inputValue()).toBe("2026-01-31T12:00");
  await page.getByLabel("Times in").selectOption("Europe/Berlin");
  expect(await page.getByLabel("From").inputValue()).toBe("2026-01-31T13:00");
  await page.getByLabel("Version").fill("99");
  await button(page, "Find").click();
  await page.getByText("No order matches").waitFor();
  expect(errors).toEqual([]);
});

test("a search is exported as CSV, all its pages, with progress; it can be stopped", async () => {
  const { page, errors } = await visit("/search?state=Processed&q=plain");
  let asked = 0;
  let release = () => {};
  await page.route("**/api/jobs?*limit=200*", async (route) => {
    asked += 1;
    if (asked > 1) return route.fallback();
    // The first page is said to have another one, which is held back.
    const response = await route.fetch();
    const body = { ...(await response.json()), continuation: "held" };
    await route.fulfill({ response, json: body });
    await page.route("**/api/jobs?*continuation=held*", async (held) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      await held.abort().catch(() => {});
    });
  });
  const csv = page.getByRole("button", { name: "Export as CSV" });
  await csv.click();
  await page.getByText("1 order read so far").waitFor();
  expect(await csv.isDisabled()).toBe(true);
  await button(page, "Stop the export").click();
  await page.getByText("Export stopped: no file was written.").waitFor();
  release();

  const [file] = await Promise.all([page.waitForEvent("download"), csv.click()]);
  expect(file.suggestedFilename()).toMatch(/^jobs-20\d\d-\d\d-\d\dT\d{4}Z\.csv$/);
  const text = readFileSync((await file.path()) ?? "", "utf8");
  expect(text.split("\r\n")[1]).toMatch(/^plain-1,order-fulfilment,\d+,Processed,forward,1,/);
  await page.getByText("Exported 1 order.").waitFor();
  expect(errors).toEqual([]);
});

test("rows of a search are chosen and resubmitted, by keyboard; the others are left alone", async () => {
  const { page, errors } = await visit("/search?q=rejected&state=Error");
  await page.getByRole("checkbox", { name: "Choose rejected-1" }).focus();
  await page.keyboard.press("Space");
  await page.getByRole("checkbox", { name: "Choose rejected-3" }).focus();
  await page.keyboard.press("Space");
  await page.getByRole("status").getByText("2 orders chosen").waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await button(page, "Resubmit 2 chosen").focus();
  await page.keyboard.press("Enter");
  await page.getByText("Resubmit: 2 orders.").waitFor();
  await page.getByLabel("Reason").focus();
  await page.keyboard.type("two cards renewed");
  await button(page, "Resubmit: 2 orders (this machine)").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("Done", { exact: true }).waitFor({ timeout: 20_000 });
  for (const orderId of ["rejected-1", "rejected-3"]) {
    await app.eventually(orderId, ({ processState }) => processState === "Processed");
  }
  const others = await app.records.of(["rejected-2", "rejected-4"]);
  expect(others.map(({ processState, attempt }) => [processState, attempt])).toEqual([
    ["Error", 1],
    ["Error", 1],
  ]);
  expect(errors).toEqual([]);
});

test("all that match a search are marked resolved after a preview, and the preview links back to its search", async () => {
  const { page, errors } = await visit("/search");
  await page.getByLabel("Order id or correlation id").fill("rejected");
  await page.getByLabel("State").selectOption("Error");
  await page.getByLabel("Cause").selectOption("Rejected by a service");
  await button(page, "Find").click();
  await page.getByText("2 orders", { exact: true }).waitFor();
  await page.getByText("Act on all matches, also those that are not shown").click();
  await button(page, "Mark resolved all that match").click();
  await page.getByText("Mark resolved: 2 orders.").waitFor();
  const search = page.getByRole("link", { name: "Error · Rejected by a service · “rejected”" });
  expect(await search.getAttribute("href")).toBe("/console/search?state=Error&kind=rejected&q=rejected");
  await page.getByLabel("Reason").fill("refunded by the bank");
  await button(page, "Mark resolved: 2 orders (this machine)").click();
  await page.getByRole("status").getByText("Done", { exact: true }).waitFor({ timeout: 20_000 });
  for (const orderId of ["rejected-2", "rejected-4"]) {
    await app.eventually(orderId, ({ error }) => error?.kind === "resolved");
  }
  await search.click();
  await page.getByText("No order matches").waitFor();
  expect(errors).toEqual([]);
});

test("the overview says how orders flow, how long messages wait, and which versions are in flight", async () => {
  await app.switchOn("shipping", { kind: "slow", delayMs: 15_000, match: { orderId: "slow-1" } });
  await app.shop.send(madeOrder("slow-1"));
  await app.eventually("slow-1", ({ steps }) => steps["arrangeShipping"]?.state !== "NotStarted");
  const { page, errors } = await visit("/overview");
  const tile = (name: string) => page.getByRole("listitem").filter({ hasText: name });
  await expect
    .poll(() => tile("Processed per minute").textContent())
    .toMatch(/^[\d.]+Processed per minute\d+ in the last minute$/);
  expect(await tile("Received per minute").textContent()).toMatch(/[1-9]\d* in the last minute$/);
  expect(await tile("95% were faster (p95)").textContent()).toMatch(/^\d+ (ms|s)/);
  await page.getByText("Of the orders that were processed in the last hour").waitFor();
  await page.getByRole("row", { name: /^order-fulfilment v\d+ 1$/ }).waitFor();
  await page.getByRole("row", { name: "agent-replies none" }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  // From a figure to its orders, by keyboard alone.
  const { press } = keyboardOf(page);
  const inProgress = await tile("In progress").first().textContent();
  await press(inProgress ?? "");
  await page.getByRole("heading", { name: "Search" }).waitFor();
  expect(new URL(page.url()).searchParams.get("state")).toBe("Processing");
  await press("slow-1");
  await page.getByRole("heading", { name: "slow-1" }).waitFor();
  expect(errors).toEqual([]);
});

test("a workflow is paused: every view says so, a new order waits and counts as no failure; resumed, it is processed", async () => {
  const { page, errors } = await visit("/agents");
  const workflow = page.getByRole("region", { name: "order-fulfilment" });
  await button(page, "Pause order-fulfilment").click();
  await workflow.getByRole("button", { name: "Pause order-fulfilment (this machine)" }).click();
  await page.getByText("Enter a reason: other operators need it later.").waitFor();
  await workflow.getByLabel("Reason").fill("the price list is wrong");
  expect(await faultsOf(page)).toEqual([]);
  await workflow.getByRole("button", { name: "Pause order-fulfilment (this machine)" }).click();
  const notice = page.getByRole("status").filter({ hasText: "Workflow order-fulfilment is paused" });
  await notice.getByText("by local-operator: the price list is wrong").waitFor();
  await page.getByRole("link", { name: "Search", exact: true }).click();
  await page.getByRole("heading", { name: "Search" }).waitFor();
  await notice.waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await app.shop.send(madeOrder("waits-1"));
  await expect
    .poll(async () => (await messagesIn(app.bus, "jobs")).map(({ body }) => body.orderId))
    .toContain("waits-1");
  expect(await app.records.of(["waits-1"])).toEqual([]);
  await notice.getByRole("link").click();
  await button(page, "Resume order-fulfilment").click();
  await workflow.getByLabel("Reason").fill("fixed");
  await workflow.getByRole("button", { name: "Resume order-fulfilment (this machine)" }).click();
  await notice.waitFor({ state: "detached" });
  await app.shop.send(madeOrder("goes-on-1"));
  await app.eventually("goes-on-1", ({ processState }) => processState === "Processed");
  expect(errors).toEqual([]);
});

test("an agent is paused: its steps are not begun and count no failure; the view shows each endpoint's load and health", async () => {
  const { page, errors } = await visit("/agents");
  const shipping = page.getByRole("region", { name: "shipping" });
  await button(page, "Pause shipping").click();
  await shipping.getByLabel("Reason").fill("the carrier moves house");
  await shipping.getByRole("button", { name: "Pause shipping (this machine)" }).click();
  await page.getByRole("status").getByText("Agent shipping is paused").waitFor();
  // Every process sees it within 5 seconds.
  await new Promise((resolve) => setTimeout(resolve, 5000));
  await app.switchOn("inventory", { kind: "slow", delayMs: 9000, calls: 1, match: { orderId: "loads-1" } });
  for (const orderId of ["loads-1", "held-1"]) await app.shop.send(madeOrder(orderId));
  const inventory = async () => {
    const { agents } = agentHealth.parse(await (await app.call("api/agents")).json());
    return agents.find(({ name }) => name === "inventory")?.instances.flatMap(({ endpoints }) => endpoints)[0];
  };
  await expect.poll(inventory).toMatchObject({ health: "healthy", inFlight: 1 });
  await page.reload();
  await page.getByText(/Healthy, 1 of \d+ calls/).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await app.eventually("held-1", ({ steps }) => steps["arrangeShipping"]?.state === "Scheduled");
  expect(await app.effects("shipping", "held-1")).toEqual([]);
  await button(page, "Resume shipping").click();
  await shipping.getByLabel("Reason").fill("they are there");
  await shipping.getByRole("button", { name: "Resume shipping (this machine)" }).click();
  await page.getByRole("status").getByText("Agent shipping is paused").waitFor({ state: "detached" });
  expect(errors).toEqual([]);
});

test("by keyboard alone: an order is taken and its cause marked resolved, and a message in the quarantine is fixed and sent again", async () => {
  const { page, errors } = await visit("/jobs/stuck-1");
  const { press, type } = keyboardOf(page);
  await press("Take");
  await button(page, "Release").waitFor();
  await press("Needs a person");
  await page.getByText("Taken by local-operator").waitFor();
  await press("not compensated: takePayment; the cause: nobody delivers there");
  await press("Mark resolved all 1");
  await type("Reason*", "released by telephone");
  await press("Mark resolved: 1 order (this machine)");
  await page.getByRole("status").getByText("Done", { exact: true }).waitFor({ timeout: 20_000 });
  await press("What still needs a person");
  await press("Quarantine");
  await page.getByText("Quarantine").first().waitFor();
  const number = await page.locator("tbody").getByRole("link").first().textContent();
  await press(number?.trim() ?? "");
  await press("Edit as JSON");
  const body = page.getByLabel("Edit the body");
  const order = JSON.parse(await body.inputValue());
  const fixed = { ...order, currency: "EUR", lines: [{ sku: "TEA-1", quantity: 1, unitPrice: 5 }] };
  await type("Edit the body", JSON.stringify(fixed));
  await type("Reason*", "the client's fault, fixed");
  await press("Send again");
  await page.getByText("Sent to jobs.").waitFor();
  await app.eventually("unreadable-1", ({ processState }) => processState === "Processed");
  expect(errors).toEqual([]);
});

test("orders in progress get more time, by as much as is chosen", async () => {
  // A trip that waits for a person, so that it is under way for as long as a slow browser takes.
  await app.switchOn("approval", { kind: "late", delayMs: 600_000, match: { orderId: "late-1" } });
  const lines = [{ sku: "TRIP", quantity: 1, unitPrice: 600_000 }];
  await app.shop.send({ ...madeOrder("late-1"), workflow: "trip", lines });
  const before = await app.eventually("late-1", ({ steps }) => steps["approveTrip"]?.state === "Awaiting");
  const { page, errors } = await visit("/search?state=Processing&q=late");
  await page.getByRole("checkbox", { name: "Choose late-1" }).check();
  await button(page, "Extend 1 chosen").click();
  await page.getByLabel("By").selectOption("1 hour");
  await page.getByLabel("Reason").fill("the warehouse is slow");
  expect(await faultsOf(page)).toEqual([]);
  await button(page, "Extend: 1 order (this machine)").click();
  await page.getByRole("status").getByText("Done", { exact: true }).waitFor({ timeout: 20_000 });
  await page.getByRole("row", { name: "late-1 Extended" }).waitFor();
  await page.getByText(/by 1 hour: the warehouse is slow$/).waitFor();
  const [after] = await app.records.of(["late-1"]);
  const said = after?.history.find(({ what }) => what.includes("the warehouse is slow"));
  expect(said, JSON.stringify(after?.history)).toBeDefined();
  // The record itself is due for the reminder before that.
  const until = (record = before) => Date.parse(record.steps["approveTrip"]?.completeBy ?? "");
  expect(until(after) - until()).toBe(3_600_000);
  expect(errors).toEqual([]);
});

test("who may only look chooses nothing; without a state it is said what is missing", async () => {
  const { page } = await visit("/search?q=plain");
  await page
    .getByText(
      "To act on all that match, search for a state: Waiting, In progress or Error; or for what they wait for.",
    )
    .waitFor();
  const looker = await openPage(browser);
  const environment = "production";
  const session = { operator: "bob@example.com", mayOperate: false, environment, build: "another", pauses: [] };
  await looker.page.route("**/api/session", (route) => route.fulfill({ json: session }));
  await looker.page.goto(`${base}/search?q=plain&state=Processed`);
  await looker.page.getByRole("link", { name: "plain-1" }).waitFor();
  expect(await looker.page.getByRole("checkbox").count()).toBe(0);
});

test.each(["light", "dark"] as const)(
  "axe finds nothing in what opens in these views, in the %s theme",
  async (colorScheme) => {
    const { page } = await visit("/search?state=Error", { colorScheme });
    await page.getByText("Act on all matches").click();
    expect(await faultsOf(page), "a search with its actions").toEqual([]);
    await page.getByRole("checkbox", { name: "Choose stuck-1" }).check();
    expect(await faultsOf(page), "a search with chosen rows").toEqual([]);
    await page.goto(`${base}/agents`);
    await button(page, "Pause payment").click();
    await page.getByLabel("Reason").waitFor();
    expect(await faultsOf(page), "the pause of an agent").toEqual([]);
  },
);

test("orders that waited while their workflow or an agent was paused go on by themselves, and count no failure", async () => {
  // What is sent back to its queue comes again after half a minute; a step that nobody took up is scheduled again when its time is over.
  for (const orderId of ["waits-1", "held-1"]) {
    const record = await app.eventually(orderId, ({ processState }) => processState === "Processed", 90_000);
    expect(record, orderId).toMatchObject({ failureCount: 0 });
  }
  expect((await app.records.of(["waits-1"]))[0]).toMatchObject({ attempt: 1 });
});
