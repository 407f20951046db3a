// A trouble on a real stack: the open first view and the terminal say in words what it is, within a minute, and never that all is well.
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import { typedOrders } from "../support/orders-command.ts";
import { openPage } from "./browser.ts";

export const MINUTE_MS = 60_000;
const POLL_MS = 250;
/** Once it is named, the view asks again several times in this time. */
const WATCHED_MS = 15_000;
const WELL_AGAIN_MS = 150_000;
export const TIMEOUT_MS = 400_000;
const CLEAR = "Nothing needs a person";
export const NOT_KNOWN = /It is not known whether something (else )?needs a person/;

export const orders = async (url: string, ...args: string[]): Promise<string> =>
  (await typedOrders([...args, "--app", url])).output;

export async function openHome(browser: Browser, url: string): Promise<Page> {
  const { page } = await openPage(browser);
  await page.goto(`${url}/console/`);
  return page;
}

/** Before the next trouble begins. */
export async function isWellAgain(home: Page): Promise<void> {
  const endAt = Date.now() + WELL_AGAIN_MS;
  while (!(await isClear(home))) {
    if (Date.now() > endAt) throw new Error(`home is not clear again:\n${await home.locator("body").innerText()}`);
    await sleep(POLL_MS);
  }
}

const isClear = async (home: Page) => (await home.getByText(CLEAR, { exact: true }).count()) > 0;

export interface Expected {
  /** What the first view says, and the terminal. */
  readonly home: RegExp;
  readonly terminal: RegExp;
}

/** Both name it within a minute, and after that neither says that all is well. */
export async function expectNamed(home: Page, url: string, expected: Expected, begun = Date.now()): Promise<void> {
  const inTerminal = async () => {
    for (;;) {
      const output = await orders(url, "needs");
      if (expected.terminal.test(output)) return output;
      if (Date.now() - begun > MINUTE_MS) throw new Error(`the terminal says after a minute:\n${output}`);
    }
  };
  const onHome = async () => {
    // What is paused stands above the view's own part.
    const shown = home.locator("body");
    while (!expected.home.test(await shown.innerText())) {
      if (Date.now() - begun > MINUTE_MS) throw new Error(`home says after a minute:\n${await shown.innerText()}`);
      await sleep(POLL_MS);
    }
    process.stderr.write(`${expected.home.source}: home after ${Math.round((Date.now() - begun) / 1000)} s\n`);
  };
  const [output] = await Promise.all([inTerminal(), onHome()]);
  expect(output).not.toContain(CLEAR);
  for (const until = Date.now() + WATCHED_MS; Date.now() < until; await sleep(POLL_MS)) {
    expect(await isClear(home), "home says that all is well").toBe(false);
  }
  expect(await orders(url, "needs")).not.toContain(CLEAR);
}
