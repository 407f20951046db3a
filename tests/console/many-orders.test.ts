// An operator in a real browser with many orders: actions on what a search has found.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { madeOrder } from "../../cli/shop.ts";
import { agentStandings } from "../../shared/messaging/console-contract.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";
import { faultsOf } from "./axe.ts";
import { type OpenedPage, openBrowser, openPage } from "./browser.ts";
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

test("rows of a search are chosen and resubmitted, by keyboard; the others are left alone", async () => {
  const { page, errors } = await visit("/search?q=refused&state=Error");
  await page.getByRole("checkbox", { name: "Choose refused-1" }).focus();
  await page.keyboard.press("Space");
  await page.getByRole("checkbox", { name: "Choose refused-3" }).focus();
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
  for (const orderId of ["refused-1", "refused-3"]) {
    await app.eventually(orderId, ({ processState }) => processState === "Processed");
  }
  const others = await app.records.of(["refused-2", "refused-4"]);
  expect(others.map(({ processState, attempt }) => [processState, attempt])).toEqual([
    ["Error", 1],
    ["Error", 1],
  ]);
  expect(errors).toEqual([]);
});

test("all that match a search are marked resolved after a preview, and the preview links back to its search", async () => {
  const { page, errors } = await visit("/search");
  await page.getByLabel("Order id or correlation id").fill("refused");
  await page.getByLabel("State").selectOption("Error");
  await page.getByLabel("Cause").selectOption("Rejected by a service");
  await button(page, "Find").click();
  await page.getByText("2 orders", { exact: true }).waitFor();
  await page.getByText("Act on all that match, also those that are not shown").click();
  await button(page, "Mark resolved all that match").click();
  await page.getByText("Mark resolved: 2 orders.").waitFor();
  const search = page.getByRole("link", { name: "Error · Rejected by a service · “refused”" });
  expect(await search.getAttribute("href")).toBe("/console/search?state=Error&kind=rejected&q=refused");
  await page.getByLabel("Reason").fill("refunded by the bank");
  await button(page, "Mark resolved: 2 orders (this machine)").click();
  await page.getByRole("status").getByText("Done", { exact: true }).waitFor({ timeout: 20_000 });
  for (const orderId of ["refused-2", "refused-4"]) {
    await app.eventually(orderId, ({ error }) => error?.kind === "settled");
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
    .poll(() => tile("Processed per minute").textContent(), { timeout: 10_000 })
    .toMatch(/^< 0.1Processed per minute3 in the last 1 h$/);
  expect(await tile("Received per minute").textContent()).toMatch(/7 in the last 1 h$/);
  expect(await tile("95% were faster (p95)").textContent()).toMatch(/^\d+ (ms|s)/);
  await page.getByText("Of the last 3 orders that were processed").waitFor();
  await page.getByRole("row", { name: /^order-fulfilment v\d+ 1$/ }).waitFor();
  await page.getByRole("row", { name: "agent-replies none" }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  expect(errors).toEqual([]);
});

test("a workflow is paused: every view says so, a new order waits and counts as no failure; resumed, it is processed", async () => {
  const { page, errors } = await visit("/agents");
  const workflow = page.getByRole("region", { name: "order-fulfilment" });
  await button(page, "Pause order-fulfilment").click();
  await workflow.getByRole("button", { name: "Pause order-fulfilment (this machine)" }).click();
  await page.getByText("Say why: whoever looks at this later will want to know.").waitFor();
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
    .poll(async () => (await app.bus.createReceiver("orders").peekMessages(10)).map(({ body }) => body.orderId))
    .toContain("waits-1");
  expect(await app.records.of(["waits-1"])).toEqual([]);
  await notice.getByRole("link").click();
  await button(page, "Resume order-fulfilment").click();
  await workflow.getByLabel("Reason").fill("mended");
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
  const api = `${app.stack.addresses.host?.url}/api/agents`;
  const inventory = async () => {
    const { agents } = agentStandings.parse(await (await fetch(api)).json());
    return agents.find(({ name }) => name === "inventory")?.instances.flatMap(({ endpoints }) => endpoints)[0];
  };
  await expect.poll(inventory, { timeout: 15_000 }).toMatchObject({ health: "healthy", inFlight: 1 });
  await page.reload();
  await page.getByRole("row", { name: /Healthy 1 of \d+ calls/ }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await app.eventually("held-1", ({ steps }) => steps["arrangeShipping"]?.state === "Scheduled");
  expect(await app.effects("shipping", "held-1")).toEqual([]);
  await button(page, "Resume shipping").click();
  await shipping.getByLabel("Reason").fill("they are there");
  await shipping.getByRole("button", { name: "Resume shipping (this machine)" }).click();
  await page.getByRole("status").getByText("Agent shipping is paused").waitFor({ state: "detached" });
  expect(errors).toEqual([]);
}, 60_000);

test("orders in progress get more time, by as much as is chosen", async () => {
  await app.switchOn("inventory", { kind: "slow", delayMs: 8000, match: { orderId: "late-1" } });
  await app.shop.send(madeOrder("late-1"));
  const before = await app.eventually("late-1", ({ steps }) => steps["reserveStock"]?.state === "Running");
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
  if (after?.steps["reserveStock"]?.state === "Running") {
    expect(Date.parse(after.dueAt ?? "") - Date.parse(before.dueAt ?? "")).toBe(3_600_000);
  }
  expect(errors).toEqual([]);
});

test("who may only look chooses nothing; without a state it is said what is missing", async () => {
  const { page } = await visit("/search?q=plain");
  await page.getByText("To act on all that match, search for a state: Waiting, In progress or Error.").waitFor();
  const looker = await openPage(browser);
  const environment = { name: "production", colour: "red" };
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
    await page.getByText("Act on all that match").click();
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
}, 120_000);
