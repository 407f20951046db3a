// What holds of every view: it names its environment, and axe, with no rule disabled, finds nothing in both themes.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { faultsOf } from "./axe.ts";
import { openPage } from "./browser.ts";
import type { Console } from "./no-data-stories.ts";

export function everyView(where: () => Console): void {
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

  test("each view names its environment; who may only look can't act, and is notified of a new version", async () => {
    const { browser, base } = where();
    const { page } = await openPage(browser);
    const environment = { name: "production", colour: "red" };
    const app = { words: { one: "purchase order", many: "purchase orders" }, keys: ["invoice"], traceUrl: null };
    const operator = { operator: "bob@example.com", mayOperate: false, pauses: [] };
    const session = { ...operator, ...app, environment, build: "another" };
    await page.route("**/api/session", (route) => route.fulfill({ json: session }));
    await page.goto(`${base}/jobs/stuck-1`);
    await page.getByText("production", { exact: true }).waitFor();
    await page.getByText("A new version of the console is available.").waitFor();
    expect(await button(page, "Mark resolved").isDisabled()).toBe(true);
    expect(await page.title()).toMatch(/production.*Purchase orders console/);
    await page.goto(`${base}/search`);
    await page.getByText("Purchase order id or correlation id").waitFor();
    expect(await page.getByLabel("Business key").getAttribute("placeholder")).toBe("invoice:…");
  });

  describe.each(["light", "dark"] as const)("axe finds nothing in the %s theme", (colorScheme) => {
    test("in any view", async () => {
      const { browser, base } = where();
      const { page } = await openPage(browser, { colorScheme });
      const quarantine = `${base}/dead-letters/quarantine`;
      for (const path of [
        "/",
        "/overview",
        "/search",
        "/supervision",
        "/agents",
        "/jobs/stuck-1",
        "/discarded",
        "/shift-log",
        "/search?waitsFor=person",
        "/nopage",
        "/bulk",
        "/awaiting",
        "/search?state=Error",
        "/jobs/rejected-1",
        "/dead-letters/quarantine",
      ]) {
        await page.goto(base + path);
        await page.waitForLoadState("networkidle");
        expect(await faultsOf(page), path).toEqual([]);
        // The app calls a job an order.
        expect(await page.locator("body").innerText(), path).not.toMatch(/\bjobs?\b/i);
      }
      expect(page.url()).toBe(quarantine);
      await page.goto(`${base}/jobs/stuck-1`);
      await button(page, "Edit and resubmit").click();
      await page.getByLabel("Currency").fill("SEK");
      expect(await faultsOf(page), "the form").toEqual([]);
      await page.goto(`${base}/`);
      await page.locator("[aria-labelledby=causes]").getByRole("article").getByRole("link").first().click();
      await page.getByRole("button", { name: /^Mark resolved all/ }).click();
      await page.getByLabel("Reason").waitFor();
      expect(await faultsOf(page), "the preview of an action on many orders").toEqual([]);
      await button(page, "Do not start").click();
      await page.getByText("Cancelled: the rest was not changed").waitFor();
      expect(await faultsOf(page), "an action on many orders").toEqual([]);
    }, 180_000);
  });
}
