// A real stack with a fault proxy before each of its servers, and its open first view: one trouble after another is named there and in the terminal.
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { QUEUES_FILE } from "../../cli/settings.ts";
import { orderFulfilment } from "../../shared/workflows/order-fulfilment.ts";
import { type FaultyStack, startFaultyStack } from "../faults/faulty-stack.ts";
import { FRAUD_WORKER } from "../support/fraud-worker.ts";
import { type Front, startFront } from "../support/front.ts";
import { THREE_STEPS } from "../support/orders.ts";
import { openBrowser } from "./browser.ts";
import { type Expected, expectNamed, isWellAgain, openHome, orders, TIMEOUT_MS } from "./named.ts";

interface Troubled {
  readonly app: FaultyStack;
  terminal(...args: string[]): Promise<string>;
}

export interface Trouble extends Expected {
  readonly name: string;
  /** @returns how it ends */
  begin(on: Troubled): Promise<() => Promise<unknown>>;
}

export const isProcessed = ({ processState }: StateRecord) => processState === "Processed";

/** A test for each, in this sequence. */
export function namedOneByOne(troubles: readonly Trouble[]): void {
  let browser: Browser;
  let app: FaultyStack;
  let front: Front;
  let home: Page;
  beforeAll(async () => {
    browser = await openBrowser();
    // With the usual locks: on a slow machine short ones run out, and home names the dead letters.
    app = await startFaultyStack([THREE_STEPS, ...orderFulfilment], { ...FRAUD_WORKER, queuesFile: QUEUES_FILE });
    front = await startFront([app.stack.addresses.host?.url ?? ""]);
    home = await openHome(browser, front.url);
  }, 120_000);
  afterAll(async () => {
    await front?.[Symbol.asyncDispose]();
    await app?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  test.each(troubles)(
    "$name: named, and not green",
    async ({ begin, name, ...expected }) => {
      await isWellAgain(home);
      const begun = Date.now();
      const end = await begin({ app, terminal: (...args) => orders(front.url, ...args) });
      try {
        // Of orders that have to fail first, once they have.
        await expectNamed(home, front.url, expected, name.startsWith("an action") ? Date.now() : begun);
      } finally {
        await end();
      }
    },
    TIMEOUT_MS,
  );
}
