// 100,000 stored orders, 5,000 of them failed: every view answers soon and for a bounded price, in a real browser.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { faultsOf } from "./axe.ts";
import { openBrowser, openPage } from "./browser.ts";
import { fill } from "./charges/fill.ts";
import { type MeteredStack, startMeteredStack } from "./charges/metered-stack.ts";

const FAILED = 5000;
const STORED = { from: 0, ended: 94_950, failed: FAILED, inFlight: 50, isRejected: true };
/** Whoever waits longer than this for a view takes it for broken. */
const VIEW_MS = 5000;
const MOST_CHARGE = 100;
/** The first view counts the failed orders by cause, and the charge has what a count visits: 5,000 entries. */
const MOST_OF_THE_FIRST = 160;
/** Of those that ended; the first view also reads the orders that have not ended and do not go on. */
const MOST_DOCUMENTS = 1000;

const folder = mkdtempSync(join(tmpdir(), "large-store-"));
let metered: MeteredStack;
let browser: Browser;
let base: string;

beforeAll(async () => {
  await fill(folder, STORED, Date.now());
  [metered, browser] = await Promise.all([startMeteredStack({ data: folder }), openBrowser()]);
  base = `${metered.host}/console`;
  // In operation the gauges' timer has counted the last hour by then, a slot at a time: also for a process that starts now.
  await metered.run("gauges");
  await metered.restart();
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await metered?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens the view, waits until `shown` stands there, and says what it cost the store. */
async function look(path: string, shown: (page: Page) => Promise<unknown>) {
  const { page, errors } = await openPage(browser);
  page.setDefaultTimeout(VIEW_MS);
  const before = metered.spent;
  await page.goto(base + path);
  await shown(page);
  await page.waitForLoadState("networkidle");
  const { charge, documents } = metered.spent;
  expect(errors, path).toEqual([]);
  return { page, charge: charge - before.charge, documents: documents - before.documents };
}

const VIEWS: readonly (readonly [path: string, title: string, shown: (page: Page) => Promise<unknown>])[] = [
  ["/", "what needs a person", (page) => page.getByText("1,000+ orders").waitFor()],
  ["/overview", "the overview", (page) => page.getByText("Need a person").waitFor()],
  ["/search", "the newest orders", (page) => page.getByText(/^50(\+| of 200\+) orders/).waitFor()],
  [
    "/search?state=Error&kind=rejected",
    "a search by cause",
    (page) => page.getByText(/^50(\+| of 200\+) orders/).waitFor(),
  ],
  ["/search?state=Processing", "what is in flight", (page) => page.getByText(/^50 orders/).waitFor()],
  ["/search?q=failed-17", "a search for an id", (page) => page.getByRole("link", { name: "failed-17" }).waitFor()],
  ["/jobs/failed-17", "one order", (page) => page.getByText("Why it needs a person").waitFor()],
  ["/dead-letters", "the dead letters", (page) => page.locator("h1").waitFor()],
  ["/agents", "the agents", (page) => page.getByRole("region", { name: "shipping" }).waitFor()],
  ["/supervision", "the supervision", (page) => page.getByText("Nothing is recorded in this time").waitFor()],
];

test.each(VIEWS)(
  "%s: %s is shown in time, for a bounded charge and no more than 1,000 documents",
  async (path, _, shown) => {
    const { page, charge, documents } = await look(path, shown);
    expect(charge).toBeLessThan(path === "/" ? MOST_OF_THE_FIRST : MOST_CHARGE);
    expect(documents).toBeLessThanOrEqual(MOST_DOCUMENTS + STORED.inFlight);
    await page.context().close();
  },
);

const LOOKED = /^Searched (1,000|[89]\d\d) orders: those/;
const searches = [
  ["a part of an id that few have", "/search?q=ored-9494", LOOKED],
  ["a workflow that none has", "/search?state=Processed&workflow=order-fulfilment&version=77", LOOKED],
  [
    "what ended before all that is stored",
    `/search?state=Error&timeOf=ended&to=${new Date(0).toISOString()}&q=no`,
    "No order matches",
  ],
] as const;

test.each(searches)(
  "a search that no index answers (%s) looks through 1,000 jobs, and goes on where it stopped",
  async (_, path, said) => {
    const { page, documents } = await look(path, (shown) => shown.getByText(said).waitFor());
    expect(documents).toBeLessThanOrEqual(MOST_DOCUMENTS + STORED.inFlight);
    const goOn = page.getByRole("button", { name: "Search further back" });
    if ((await goOn.count()) === 0) return;
    expect(await faultsOf(page)).toEqual([]);
    const before = metered.spent.documents;
    await goOn.click();
    await page.getByText(/^Searched (1,[6-9]\d\d|2,000) orders: those/).waitFor();
    await page.waitForLoadState("networkidle");
    expect(metered.spent.documents - before).toBeLessThanOrEqual(MOST_DOCUMENTS);
  },
);

test("of 1,000 orders whose cause is still there one is tried: the action stops by itself, and the others are as they were", async () => {
  const end = await metered.app.switchOn("payment", {
    kind: "reject",
    status: 402,
    message: "card 1 of bank a has expired",
  });
  const { page } = await look("/search?state=Error&kind=rejected", (shown) =>
    shown.getByText(/^50(\+| of 200\+) orders/).waitFor(),
  );
  await page.getByText("Act on all matches").click();
  await page.getByRole("button", { name: "Resubmit all that match" }).click();
  // Each of the 1,000 is read for the preview, which shows its progress.
  await page.getByText("Resubmit: 1,000 orders.").waitFor({ timeout: 60_000 });
  await page.getByLabel("Reason").fill("the cards are renewed, they say");
  await page.getByLabel("Type 1000 to confirm").fill("1000");
  await page.getByRole("button", { name: "Resubmit: 1,000 orders (this machine)" }).click();
  await page.getByText(/^Stopped by itself: 100% of the last wave/).waitFor({ timeout: 60_000 });
  await page.getByRole("row", { name: "failed-0 Same cause again card 1 of bank a has expired" }).waitFor();
  expect(await page.locator("tbody tr").count()).toBe(1);
  const records = await metered.app.records.of(["failed-0", "failed-1", "failed-4"]);
  expect(records.map(({ attempt }) => attempt)).toEqual([2, 1, 1]);
  await end();
});

test("counts say that there are more; an action takes 1,000 at most, its number is typed, and it comes to its end", async () => {
  const { page } = await look("/", (shown) => shown.getByText("1,000+ orders").waitFor());
  const counts = await page.locator(".group .count").allTextContents();
  expect(counts.every((count) => count.endsWith("+"))).toBe(true);
  expect(await faultsOf(page)).toEqual([]);
  // No supervisor is active here, which stands on the page too.
  const causes = page.getByRole("article").filter({ has: page.locator(".count") });
  await causes.first().getByRole("link").first().click();
  // Some are counted, and all of the cause are meant.
  await page.getByRole("button", { name: /^Mark resolved all \d\d\+$/ }).click();
  await page.getByText(/^Mark resolved: (250|500) orders\.$/).waitFor();

  await page.goto(`${base}/search?state=Error&kind=rejected`);
  await page.getByText("Act on all matches").click();
  await page.getByRole("button", { name: "Mark resolved all that match" }).click();
  // Each of the 1,000 is read for the preview, which shows its progress.
  await page.getByText("Mark resolved: 1,000 orders.").waitFor({ timeout: 60_000 });
  await page.getByText("There may be more than one action can include").waitFor();
  await page.getByLabel("Reason").fill("the bank has paid all of them back");
  const start = page.getByRole("button", { name: "Mark resolved: 1,000 orders (this machine)" });
  await start.click();
  await page.getByText("This is not the number of orders.").waitFor();
  await page.getByLabel("Type 1000 to confirm").fill("1000");
  await start.click();
  await page.getByRole("status").getByText("Done", { exact: true }).waitFor({ timeout: 60_000 });
});
