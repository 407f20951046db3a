// What a view shows where there is no data: no connection, no right, a session that has ended, nothing under that name.
import type { Browser, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { TestStack } from "../support/test-stack.ts";
import { openPage } from "./browser.ts";

/** Where the console is; there once the tests run. */
export interface Console {
  readonly app: TestStack;
  readonly browser: Browser;
  readonly base: string;
}

export function noDataStories(where: () => Console): void {
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

  async function openedAt(path: string) {
    const opened = await openPage(where().browser);
    await opened.page.goto(where().base + path);
    return opened;
  }

  describe("what is no data", () => {
    test("the app can't be reached: what was seen stays, with a notice", async () => {
      const { page } = await openedAt("/overview");
      await page.getByText("Need a person").waitFor();
      await page.context().setOffline(true);
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
      await page.getByRole("link", { name: "Needs a person", exact: true }).click();
      await page.getByRole("alert").getByText("No connection to the app").first().waitFor();
    });

    test.each([
      [403, "You may not see or do this"],
      [500, "The app could not answer"],
      [302, "You are not signed in"],
    ])("the API answers %i", async (status, words) => {
      const { page } = await openPage(where().browser);
      const headers = status === 302 ? { location: "https://login.example/" } : {};
      await page.route("**/api/**", (route) => route.fulfill({ status, headers, body: "" }));
      await page.goto(`${where().base}/`);
      await page.getByRole("heading", { name: words }).waitFor();
    });

    test("a session that ends in the middle of an edit keeps the draft; signed in again, it is done", async () => {
      const { page } = await openedAt("/jobs/rejected-4");
      await button(page, "Mark resolved").click();
      await page.getByLabel("Reason").fill("refunded by the bank");
      const isEnded = { headers: { location: "https://login.example/" }, status: 302, body: "" };
      await page.route("**/api/**", (route) => route.fulfill(isEnded));
      const confirm = page.getByRole("dialog").getByRole("button", { name: "Mark resolved" });
      await confirm.click();
      const notice = page.getByRole("dialog").getByRole("alert").filter({ hasText: "You are not signed in" });
      await notice.getByRole("link", { name: "Sign in" }).waitFor();
      expect(await page.getByLabel("Reason").inputValue()).toBe("refunded by the bank");
      await page.unroute("**/api/**");
      await confirm.click();
      await page.getByText("Mark resolved: done.").waitFor();
      await where().app.eventually("rejected-4", ({ error }) => error?.kind === "resolved");
    });

    test("an order that is not there", async () => {
      const { page } = await openedAt("/jobs/nowhere");
      await page.getByText("There is no order nowhere.").waitFor();
    });
  });
}
