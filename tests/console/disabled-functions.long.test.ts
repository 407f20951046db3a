// Functions that an app setting has switched off while steps are done later: named at home and in the terminal, and gone once they run again.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdaptedApp, adaptApp } from "../support/adapted-app.ts";
import { madeOrder } from "../support/made-order.ts";
import { CARRIER } from "../support/orders.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";
import { openBrowser } from "./browser.ts";
import { expectNamed, openHome, orders, TIMEOUT_MS } from "./named.ts";

let carrier: Server;
let adapted: AdaptedApp;
let app: TestStack;
let browser: Browser;
let home: Page;
let disabled: readonly string[] = [];
const url = () => app.stack.addresses.host?.url ?? "";

beforeAll(async () => {
  // Asked each second what has become of a shipment.
  carrier = createServer(async (request, response) => {
    const { orderId = "" } = JSON.parse((await request.toArray()).join("") || "{}") as { orderId?: string };
    response.writeHead(202, { "content-type": "application/json", "retry-after": "1" });
    response.end(JSON.stringify({ id: `S-${orderId}` }));
  });
  await new Promise<void>((listening) => carrier.listen(0, "127.0.0.1", listening));
  const { port } = carrier.address() as AddressInfo;
  adapted = adaptApp([CARRIER]);
  app = await startTestStack({
    appDir: adapted.dir,
    appSettings: () => ({
      ShippingEndpoints: `http://127.0.0.1:${port}/`,
      ...Object.fromEntries(disabled.map((name) => [`AzureWebJobs.${name}.Disabled`, "true"])),
    }),
  });
  browser = await openBrowser();
  home = await openHome(browser, url());
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await app?.[Symbol.asyncDispose]();
  adapted?.[Symbol.dispose]();
  carrier?.close();
});

const isAwaiting = ({ steps }: StateRecord) => steps["arrangeShipping"]?.state === "Awaiting";

async function startWithout(names: readonly string[]): Promise<void> {
  disabled = names;
  await app.stack.restart("host");
}

test.each([["pollStep"], ["findProgress"]])(
  "%s is switched off while a step is done later: named, and gone once it runs again",
  async (name) => {
    await app.shop.send({ ...madeOrder(`off-${name}`), workflow: "carrier" });
    await app.eventually(`off-${name}`, isAwaiting);
    const begun = Date.now();
    await startWithout([name]);
    const words = new RegExp(`The function ${name} is switched off by a setting`);
    await expectNamed(home, url(), { home: words, terminal: words }, begun);
    expect(await orders(url(), "overview")).toMatch(words);
    await startWithout([]);
    await expect.poll(() => orders(url(), "needs"), { timeout: 60_000 }).not.toMatch(words);
    await home.getByText(words).waitFor({ state: "detached", timeout: 60_000 });
  },
  TIMEOUT_MS,
);
