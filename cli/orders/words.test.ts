// The commands say of orders what this app calls them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { ROOT } from "../every-app/root.ts";

vi.mock("../../shared/words.ts", () => ({ words: { one: "registration", many: "registrations" } }));

const { inOwnWords, waitText } = await import("./text.ts");
const { VERBS_USAGE } = await import("./verbs.ts");

test("the usage, and why one waits, have the app's own noun", () => {
  expect(VERBS_USAGE.replaceAll("npm run orders", "")).not.toMatch(/\borders?\b/);
  expect(VERBS_USAGE).toContain("registrations");
  expect(inOwnWords("an order, or npm run orders")).toBe("a registration, or npm run orders");
  const wait = { reason: "child", step: "s", agent: "a", direction: "forward", cause: "c-1", until: null } as const;
  expect(waitText({ ...wait, since: "2026-01-31T12:00:00.000Z" })).toMatch(/^waits for child registration c-1/);
});

test("no heading of a table is the noun of another app", () => {
  const files = readdirSync(join(ROOT, "cli/orders")).filter((file) => !file.endsWith(".test.ts"));
  const sources = ["cli/orders.ts", ...files.map((file) => `cli/orders/${file}`)];
  const faults = sources.filter((file) => /"(?:order|orders)"/.test(readFileSync(join(ROOT, file), "utf8")));
  expect(faults).toEqual([]);
});
