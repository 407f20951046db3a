// What the app reports of itself is dismissed by whoever has seen to it, in the console and in the terminal, and is back when it happens again.
import type { AuditPage } from "@scheduler-agent-supervisor/operator/contract";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestStack, type TestStack } from "../support/test-stack.ts";
import { faultsOf } from "./axe.ts";
import { openBrowser } from "./browser.ts";
import { openHome, orders } from "./named.ts";
import { plantReports } from "./planted.ts";

let app: TestStack;
let browser: Browser;
let url: string;
beforeAll(async () => {
  [app, browser] = await Promise.all([startTestStack(), openBrowser()]);
  url = app.stack.addresses.host?.url ?? "";
});
afterAll(async () => {
  await browser?.close();
  await app?.[Symbol.asyncDispose]();
});

const SKIPPED = { name: "CompensationIncomplete", subject: "order-1", cause: "reserveStock: HTTP 409" } as const;
const WORDS = "A skipped step of order-1 could not be compensated: reserveStock: HTTP 409";
const UNREACHABLE = { name: "StatusUndeliverable", subject: "replies-shop", cause: "" } as const;
const CLEAR = "Nothing needs a person";

async function actions(): Promise<object[]> {
  const { entries } = (await (await app.call("api/audit-log")).json()) as AuditPage;
  return entries.flatMap((entry) => (entry.kind === "operatorAction" ? [entry] : []));
}

test("in the console: it goes, the rest stays, and the audit log says who has dismissed it and why", async () => {
  await plantReports(app, SKIPPED, UNREACHABLE);
  const home = await openHome(browser, url);
  const section = home.getByRole("region", { name: "Reported by the app" });
  expect(await section.getByRole("link", { name: WORDS }).getAttribute("href")).toBe("/console/jobs/order-1");
  await section.getByRole("button", { name: `Dismiss: ${WORDS}` }).click();
  await section.getByRole("button", { name: "Dismiss (this machine)" }).click();
  await section.getByText("Enter a reason").waitFor();
  expect(await faultsOf(home)).toEqual([]);
  await section.getByLabel("Reason").fill("the stock is released by hand");
  await section.getByRole("button", { name: "Dismiss (this machine)" }).click();
  await section.getByText(WORDS).waitFor({ state: "detached" });
  await section.getByText("replies-shop").waitFor();
  expect(await actions()).toMatchObject([
    {
      ...{ action: "dismiss report CompensationIncomplete", jobId: "order-1", operator: "local-operator" },
      ...{ reason: "the stock is released by hand", outcome: "done" },
    },
  ]);
});

test("in the terminal: by the id that it was seen with, and not what has happened again since", async () => {
  await expect.poll(() => orders(url, "needs")).toContain("replies-shop");
  const [, id = ""] = /dismiss ([0-9a-f]{16}) --reason/.exec(await orders(url, "needs")) ?? [];
  expect(await orders(url, "dismiss", id)).toContain("--reason is missing");
  await plantReports(app, UNREACHABLE);
  expect(await orders(url, "dismiss", id, "--reason", "they have emptied it")).toContain("has happened again");
  const needs = async () => /dismiss ([0-9a-f]{16}) --reason/.exec(await orders(url, "needs"))?.[1] ?? id;
  await expect.poll(needs).not.toBe(id);
  expect(await orders(url, "dismiss", await needs(), "--reason", "they have emptied it")).toContain("Dismissed");
  await expect.poll(() => orders(url, "needs")).toContain(CLEAR);
  await plantReports(app, UNREACHABLE);
  await expect.poll(() => orders(url, "needs")).toContain("replies-shop");
});
