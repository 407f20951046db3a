// The simulator's page in a browser: a reader kills a process with a click, and the order ends as the same case does outside of a browser.
import { expect, test } from "vitest";
import { caseIn, MOST_STEPS } from "../../docs/.vitepress/simulator/case.ts";
import { replay } from "../../docs/.vitepress/simulator/simulation.ts";
import { faultsOf } from "./axe.ts";
import { openBrowser, openPage } from "./browser.ts";
import { serveSimulator } from "./simulator-page.ts";

test("P16 the scheduler is killed with a click, and the order is Processed; without a fault of axe, at 390 px", async () => {
  await using browser = Object.assign(await openBrowser(), { [Symbol.asyncDispose]: () => browser.close() });
  await using simulator = await serveSimulator();
  const { page, errors } = await openPage(browser, { viewport: { width: 390, height: 800 } });
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(new URL(simulator.url).origin)) elsewhere.push(request.url());
  });
  await page.goto(`${simulator.url}#seed=1&step=5`);
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
  const shown = await page.locator("#story > li").count();
  expect(shown).toBe(outside.lines.length);
  expect(await page.locator("#services .once").count()).toBe(5);
  expect(await page.locator("#services .more").count()).toBe(0);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
  expect({ errors, elsewhere }).toEqual({ errors: [], elsewhere: [] });
}, 120_000);
