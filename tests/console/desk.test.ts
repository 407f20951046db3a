// An operator in a real browser: what orders wait for, messages of one cause, the audit log, attempts, and the keyboard.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { madeOrder } from "../support/made-order.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";
import { faultsOf } from "./axe.ts";
import { type OpenedPage, openBrowser, openPage } from "./browser.ts";

const POISONED = 20;

let app: TestStack;
let browser: Browser;
let base: string;
beforeAll(async () => {
  [app, browser] = await Promise.all([startTestStack(), openBrowser()]);
  base = `${app.stack.addresses.host?.url}/console`;
  await app.switchOn("payment", { kind: "reject", status: 401, message: "key expired", match: { orderId: "held-1" } });
  await app.shop.send(madeOrder("held-1"));
  for (let number = 1; number <= POISONED; number += 1) {
    await app.shop.send({ ...madeOrder(`poisoned-${number}`), currency: "euro" });
  }
  await app.eventually("held-1", ({ processState, attempt }) => processState === "Pending" && attempt === 2, 90_000);
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await app?.[Symbol.asyncDispose]();
});

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function visit(path: string): Promise<OpenedPage> {
  const opened = await openPage(browser);
  await opened.page.goto(base + path);
  return opened;
}

test("a held order is found by what it waits for, with a count", async () => {
  const { page, errors } = await visit("/search");
  await page.getByLabel("Waits for").selectOption({ label: "payment" });
  await button(page, "Find").click();
  await page.getByRole("link", { name: "held-1" }).waitFor();
  expect(new URL(page.url()).searchParams.get("waitsFor")).toBe("agent:payment");
  await page.getByText("1 order", { exact: false }).first().waitFor();
  await page.getByLabel("Waits for").selectOption("person");
  await button(page, "Find").click();
  await page.getByText("No order matches").waitFor();
  await page.goto(`${base}/search?step=takePayment&state=Pending`);
  await page.getByRole("link", { name: "held-1" }).waitFor();
  await page.getByRole("button", { name: /^Order/ }).click();
  await page
    .getByRole("columnheader", { name: /^Order/ })
    .and(page.locator("[aria-sort=ascending]"))
    .waitFor();
  expect(errors).toEqual([]);
});

test("20 poisoned messages of one cause go again within ten clicks, with one edit for all", async () => {
  const { page, errors } = await visit("/dead-letters/quarantine");
  await page
    .getByRole("link", { name: /currency: must be/ })
    .first()
    .click();
  await page.getByText("Edit once for all").click();
  // As a form: nobody writes JSON, and what names an order can't be edited for all.
  const form = page.getByRole("group", { name: /^The body of message/ });
  expect(await form.getByLabel("Order id").getAttribute("readonly")).not.toBeNull();
  await form.getByLabel("Currency").fill("EUR");
  await page.getByRole("row", { name: /currency/ }).waitFor();
  await page.getByLabel("Reason").fill("the client's fault, fixed");
  expect(await faultsOf(page)).toEqual([]);
  await button(page, `Send all ${POISONED} again, edited`).click();
  await page.getByRole("status").getByText("Done", { exact: true }).waitFor({ timeout: 60_000 });
  expect(await faultsOf(page)).toEqual([]);
  for (const number of [1, POISONED]) {
    await app.eventually(`poisoned-${number}`, ({ processState }) => processState === "Processed", 60_000);
  }
  expect(await app.records.quarantined()).toEqual([]);
  expect(errors).toEqual([]);
}, 150_000);

test("the audit log says who did what, operators and supervisors, and is filtered by time", async () => {
  const { page, errors } = await visit("/supervision");
  await page.getByText("the client's fault, fixed").first().waitFor();
  await page
    .getByRole("row", { name: /supervisor.*held-1/ })
    .first()
    .waitFor();
  await page.getByLabel("Before").fill("2026-01-31T12:00");
  await button(page, "Show").click();
  await page.getByText("Nothing is recorded in this time").waitFor();
  expect(new URL(page.url()).searchParams.get("to")).toMatch(/^2026-01-31T/);
  await page.getByLabel("From").fill("2026-01-01T12:00");
  await page.getByLabel("Before").fill("");
  await button(page, "Show").click();
  await page.getByText("the client's fault, fixed").first().waitFor();
  expect(await faultsOf(page)).toEqual([]);
  expect(errors).toEqual([]);
});

test("attempts are compared, shortcuts lead to the views, and a wrong address says so", async () => {
  const { page } = await visit("/jobs/held-1");
  expect(await page.title()).toMatch(/^held-1/);
  await button(page, "Copy held-1").waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("v");
  await page.getByRole("heading", { name: "Supervision" }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.keyboard.press("?");
  await page.getByRole("dialog").getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await button(page, "Close").click();
  await page.goto(`${base}/overview`);
  await page.getByRole("heading", { name: /^Not well since/ }).waitFor();
  await page.getByRole("img", { name: /^Received, for each 2 minutes/ }).waitFor();
  await page.goto(`${base}/nopage`);
  await page.getByText("There is no such page").waitFor();
});
