// Whoever is woken by an alert finds its cause in the first view, in its section, and in the terminal's overview; a new alert, or event, needs a place.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EVENTS } from "@scheduler-agent-supervisor/core/telemetry";
import { FUNCTIONS } from "@scheduler-agent-supervisor/operator/domain";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../../cli/settings.ts";
import { type Front, startFront } from "../support/front.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";
import { openBrowser, openPage } from "./browser.ts";
import { orders } from "./named.ts";
import { ALERTS, BEHIND, EVENT_PLACES } from "./places.ts";

let app: TestStack;
let front: Front;
let browser: Browser;
beforeAll(async () => {
  [app, browser] = await Promise.all([startTestStack(), openBrowser()]);
  front = await startFront([app.stack.addresses.host?.url ?? ""]);
});
afterAll(async () => {
  await browser?.close();
  await front?.[Symbol.asyncDispose]();
  await app?.[Symbol.asyncDispose]();
});

const PLACES = Object.entries({ ...ALERTS, "housekeeping-behind, and silent": BEHIND });

test("each alert has a place, and there is none for one that is gone", () => {
  const file = JSON.parse(readFileSync(join(ROOT, "infra/alerts/alerts.json"), "utf8")) as {
    readonly [kind: string]: readonly { readonly name: string }[];
  };
  const names = Object.values(file).flatMap((alerts) => alerts.map(({ name }) => name));
  expect(Object.keys(ALERTS).sort()).toEqual(names.sort());
});

test("what is switched off by a setting is known of each function that no other runs in its place", () => {
  const sources = globSync("functions/*.ts", { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), "utf8"));
  const names = sources.flatMap((text) =>
    [...text.matchAll(/\.(?:timer|activity|orchestration|serviceBusQueue|http)\("(\w+)"/g)].map(([, name]) => name),
  );
  // The console answers for itself.
  const others = names.filter((name) => name !== "console");
  expect([...others, "submission", "submissionPriority"].sort()).toEqual([...FUNCTIONS].sort());
});

test("each event that warns has a place, or a reason to have none", () => {
  const warning = Object.entries(EVENTS).flatMap(([name, [level]]) => (level === "info" ? [] : [name]));
  expect(Object.keys(EVENT_PLACES).sort()).toEqual(warning.sort());
  for (const place of Object.values(EVENT_PLACES)) {
    if (typeof place === "string") expect(Object.keys(ALERTS)).toContain(place);
  }
});

test.each(PLACES)("%s: the first view names it in its section", async (_, { path, answer, section, home }) => {
  front.behave({ kind: "answers", path, json: { asOf: new Date().toISOString(), ...answer } });
  const { page } = await openPage(browser);
  await page.goto(`${front.url}/console`);
  await page.getByRole("region", { name: section }).getByText(home).first().waitFor();
  expect(await page.getByText("Nothing needs a person", { exact: true }).count()).toBe(0);
  await page.context().close();
});

test.each(PLACES)("%s: the terminal's overview and needs have a line of it", async (_, { path, answer, terminal }) => {
  front.behave({ kind: "answers", path, json: { asOf: new Date().toISOString(), ...answer } });
  expect(await orders(front.url, "overview")).toMatch(/^Not well/);
  expect(await orders(front.url, "overview")).toMatch(terminal);
  expect(await orders(front.url, "needs")).not.toContain("Nothing needs a person");
});
