// What holds of every view: it names its environment; and axe, with no rule disabled, finds nothing in both themes at three widths, at which nothing
// is wider than the window.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { madeOrder } from "../support/made-order.ts";
import { faultsOf } from "./axe.ts";
import { openPage } from "./browser.ts";
import type { Console } from "./no-data-stories.ts";

const WINDOWS = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
] as const;

/** At each width; and then it is as wide as it was. */
async function expectFaultless(page: Page, what: string): Promise<void> {
  for (const size of WINDOWS) {
    await page.setViewportSize(size);
    const wider = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    expect(wider, `${what} is wider than ${size.width}`).toBe(0);
    expect(await faultsOf(page), `${what} at ${size.width}`).toEqual([]);
  }
  await page.setViewportSize(WINDOWS[0]);
}

/** Its table has the most columns beside each other. */
function withBrokenEndpoint() {
  const at = new Date().toISOString();
  const endpoint = { health: "broken", inFlight: 0, capacity: 64, isSlow: false, lastError: "HTTP 503", since: at };
  const instance = { instance: "host-20761", at, endpoints: [{ endpoint: "http://127.0.0.1:45439/", ...endpoint }] };
  return { asOf: at, pauses: [], workflows: [], agents: [{ name: "payment", instances: [instance] }] };
}

export function everyView(where: () => Console): void {
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

  test("each view names its environment; who may only look can't act, and is notified of a new version", async () => {
    const { browser, base } = where();
    const { page } = await openPage(browser);
    const environment = "production";
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
      const { app, browser, base } = where();
      await app.shop.send({ ...madeOrder("unreadable"), currency: "euro" });
      await expect.poll(async () => (await app.records.quarantined()).length).toBeGreaterThan(0);
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
        await expectFaultless(page, path);
        // The app calls a job an order; two of its queues have names of every app.
        const words = (await page.locator("body").innerText()).replaceAll(
          /(^|letters of |resent to )jobs(-priority)?\b/gm,
          "",
        );
        expect(words, path).not.toMatch(/\bjobs?\b/i);
      }
      expect(page.url()).toBe(quarantine);
      await page.route("**/api/agents", (route) => route.fulfill({ json: withBrokenEndpoint() }));
      await page.goto(`${base}/agents`);
      await page.getByText("HTTP 503").waitFor();
      await expectFaultless(page, "an endpoint that gets no calls");
      await page.unroute("**/api/agents");
      await page.goto(quarantine);
      await page.locator("tbody a").first().click();
      await page.getByRole("button", { name: "Discard" }).waitFor();
      await expectFaultless(page, "a message in quarantine");
      await page.goto(quarantine);
      await page.locator(".groups a").first().click();
      await page.getByText("Edit once for all").click();
      await expectFaultless(page, "the messages of one cause");
      await page.goto(`${base}/jobs/stuck-1`);
      await button(page, "Edit and resubmit").click();
      await page.getByLabel("Currency").fill("SEK");
      await expectFaultless(page, "the form");
      await page.goto(`${base}/`);
      await page.locator("[aria-labelledby=causes]").getByRole("article").getByRole("link").first().click();
      await page.getByRole("button", { name: /^Mark resolved all/ }).click();
      await page.getByLabel("Reason").waitFor();
      await expectFaultless(page, "the preview of an action on many orders");
      await button(page, "Do not start").click();
      await page.getByText("Cancelled: the rest was not changed").waitFor();
      await expectFaultless(page, "an action on many orders");
    }, 400_000);
  });
}
