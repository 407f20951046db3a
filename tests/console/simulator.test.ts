// The simulator's page in a browser: a reader kills a process with a click, and the order ends as the same case does outside of a browser.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { caseIn, MOST_STEPS } from "../../docs/.vitepress/simulator/case.ts";
import { replay } from "../../docs/.vitepress/simulator/simulation.ts";
import { startTestStack } from "../support/test-stack.ts";
import { faultsOf } from "./axe.ts";
import { openBrowser, openPage } from "./browser.ts";
import { serveSimulator } from "./simulator-page.ts";

const closing = async () => {
  const browser = await openBrowser();
  return Object.assign(browser, { [Symbol.asyncDispose]: () => browser.close() });
};

/** Kills the scheduler at the fifth step, and goes to the end, which has to be that of the same case outside. */
async function killScheduler(page: Page): Promise<void> {
  const now = page.getByRole("status");
  await now.getByText("Step 5,").waitFor();
  await page.getByRole("button", { name: "Kill: Scheduler" }).click();
  await page.getByText("You kill the scheduler", { exact: false }).first().waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole("button", { name: "To the end" }).click();
  await now.getByText("the order is Processed").waitFor();
  const address = new URL(page.url()).hash;
  expect(address).toContain("do=5.kill.scheduler");
  const outside = (await replay(caseIn(address).case, MOST_STEPS)).view();
  expect(address).toContain(`step=${outside.step}`);
  expect(await page.locator("#story > li").count()).toBe(outside.lines.length);
  expect(await page.locator("#services .once").count()).toBe(5);
  expect(await page.locator("#services .more").count()).toBe(0);
}

test("P16 the scheduler is killed with a click, and the order is Processed; without a fault of axe, at 390 px", async () => {
  await using browser = await closing();
  await using simulator = await serveSimulator();
  const { page, errors } = await openPage(browser, { viewport: { width: 390, height: 800 } });
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(new URL(simulator.url).origin)) elsewhere.push(request.url());
  });
  await page.goto(`${simulator.url}#seed=1&step=5`);
  await killScheduler(page);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
  expect({ errors, elsewhere }).toEqual({ errors: [], elsewhere: [] });
});

const SHOWN = ["now", "actors", "record", "services", "messages", "statuses", "story"] as const;
const shownBy = (page: Page) => Promise.all(SHOWN.map((id) => page.locator(`#${id}`).innerText()));
const FAULT = /^(Kill|Delay|Double|Take down)\b|^Every message twice$/;

test("the address after each fault, opened in another page, shows the same case", async () => {
  await using browser = await closing();
  await using simulator = await serveSimulator();
  const { page, errors } = await openPage(browser);
  const { page: other } = await openPage(browser);
  const start = `${simulator.url}#seed=1&step=7`;
  await page.goto(start);
  await page.getByRole("status").getByText("Step 7,").waitFor();
  const names = await page
    .getByRole("button", { name: FAULT })
    .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label") ?? one.textContent ?? ""));
  for (const kind of ["Kill", "Delay", "Double", "Take down", "Every message twice"])
    expect(names.some((name) => name.startsWith(kind))).toBe(true);
  for (const name of names) {
    await page.goto("about:blank");
    await page.goto(start);
    await page.getByRole("status").getByText("Step 7,").waitFor();
    await page.getByRole("button", { name, exact: true }).first().click();
    await expect.poll(() => page.url(), { message: name }).toContain("&do=7.");
    await page.getByRole("button", { name: "Step", exact: true }).click();
    await page.getByRole("status").getByText("Step 8,").waitFor();
    await other.goto("about:blank");
    await other.goto(page.url());
    await other.getByRole("status").getByText("Step 8,").waitFor();
    expect(await shownBy(other), name).toEqual(await shownBy(page));
    expect(await page.locator("#story").innerText(), name).toMatch(/: (You |From now on)/);
  }
  expect(errors).toEqual([]);
}, 180_000);

/** Compressed: what an operator's browser loads once. */
const BUDGET_BYTES = 250_000;

test("the console links to it, and serves it under the console's own policy", async () => {
  await using app = await startTestStack();
  await using browser = await closing();
  const host = app.stack.addresses.host?.url ?? "";
  const { page, errors } = await openPage(browser);
  await page.goto(`${host}/console`);
  const link = page.getByRole("contentinfo").getByRole("link");
  await link.waitFor({ timeout: 60_000 });
  const served: Promise<readonly [path: string, keeps: string | undefined, bytes: number]>[] = [];
  page.on("requestfinished", (request) => {
    const entry = async () => {
      const headers = (await request.response())?.headers() ?? {};
      expect(headers["content-security-policy"], request.url()).toContain("default-src 'none'; script-src 'self'");
      return [
        request.url().replace(host, ""),
        headers["cache-control"],
        (await request.sizes()).responseBodySize,
      ] as const;
    };
    if (!request.url().includes("/api/")) served.push(entry());
  });
  await link.click();
  await page.getByRole("heading", { name: "Simulator" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/console/simulator");
  await page.goto(`${host}/console/simulator/#seed=1&step=5`);
  await killScheduler(page);
  const all = await Promise.all(served);
  const pages = all.filter(([, keeps]) => keeps === "no-cache").map(([path]) => path);
  expect(pages).toEqual(["/console/simulator", expect.stringMatching(/^\/console\/simulator\/(#.*)?$/)]);
  const assets = all.filter(([, keeps]) => keeps === "public, max-age=31536000, immutable");
  for (const [path] of assets) expect(path).toMatch(/^\/console\/simulator\/assets\/[a-z]+-[\w-]{8}\.(js|css|svg)$/);
  expect(assets.length + pages.length).toBe(all.length);
  const bytes = new Map(assets.map(([path, , size]) => [path, size]));
  expect([...bytes.values()].reduce((sum, size) => sum + size, 0)).toBeLessThan(BUDGET_BYTES);
  expect(errors).toEqual([]);
}, 180_000);
