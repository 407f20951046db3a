// A report of a step that is done later: its form comes from what the agent declares, and nobody writes JSON.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdaptedApp, adaptApp } from "../support/adapted-app.ts";
import { madeOrder } from "../support/made-order.ts";
import { CARRIER } from "../support/orders.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";
import { faultsOf } from "./axe.ts";
import { openBrowser, openPage } from "./browser.ts";
import { type LateCarrier, startLateCarrier } from "./late-carrier.ts";

let carrier: LateCarrier;
let adapted: AdaptedApp;
let app: TestStack;
let browser: Browser;
let host: string;
beforeAll(async () => {
  carrier = await startLateCarrier();
  adapted = adaptApp([CARRIER]);
  const appSettings = { ShippingEndpoints: carrier.url };
  [app, browser] = await Promise.all([startTestStack({ appDir: adapted.dir, appSettings }), openBrowser()]);
  host = app.stack.addresses.host?.url ?? "";
});
afterAll(async () => {
  await browser?.close();
  await app?.[Symbol.asyncDispose]();
  adapted?.[Symbol.dispose]();
  await carrier?.[Symbol.asyncDispose]();
});

test("the fields are the agent's, a fault is at its field, and the result is recorded", async () => {
  await app.shop.send({ ...madeOrder("later-1"), workflow: "carrier" });
  // The carrier's own report comes first: one that comes later would change what the dialog decides on.
  await app.eventually("later-1", ({ steps }) => steps["arrangeShipping"]?.accepted?.progress !== undefined);
  const { page } = await openPage(browser);
  await page.goto(`${host}/console/jobs/later-1`);
  // Its view says until when, and the tab has its name.
  await page.getByText(/^waits for a report about arrangeShipping from shipping since .*, until /i).waitFor();
  expect(await page.title()).toMatch(/^later-1 · /);
  await page.getByRole("button", { name: "Report arrangeShipping as done" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Shipment id").waitFor();
  expect(await dialog.getByLabel("Result").count()).toBe(0);
  expect(await faultsOf(page)).toEqual([]);
  await dialog.getByLabel("Reason").fill("the carrier called");
  const confirm = dialog.getByRole("button", { name: "Report arrangeShipping as done" });
  await confirm.click();
  await dialog.getByText("The request has faults").waitFor();
  await dialog.getByLabel("Shipment id").fill("S-7");
  await confirm.click();
  await page.getByText("Report arrangeShipping as done: done.").waitFor();
  const { steps } = await app.eventually("later-1", ({ processState }) => processState === "Processed");
  expect(steps["arrangeShipping"]?.result).toEqual({ shipmentId: "S-7" });
});

test("an operation that no agent declares has no form", async () => {
  const known = await app.call("api/result-contract/shipping/arrange");
  expect(await known.json()).toMatchObject({ type: "object", required: ["shipmentId"] });
  expect((await app.call("api/result-contract/shipping/dance")).status).toBe(404);
});
