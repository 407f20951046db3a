// The commands say of orders what this app calls them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { ROOT } from "../every-app/root.ts";

vi.mock("../../shared/words.ts", () => ({ words: { one: "registration", many: "registrations" } }));

const { inOwnWords } = await import("./text.ts");
const { VERBS_USAGE } = await import("./verbs.ts");

test("the usage has the app's own noun", () => {
  expect(VERBS_USAGE.replaceAll("npm run orders", "")).not.toMatch(/\borders?\b/);
  expect(VERBS_USAGE).toContain("registrations");
  expect(inOwnWords("an order, or npm run orders")).toBe("a registration, or npm run orders");
});

test("no heading of a table is the noun of another app", () => {
  const files = readdirSync(join(ROOT, "cli/orders")).filter((file) => !file.endsWith(".test.ts"));
  const sources = ["cli/orders.ts", ...files.map((file) => `cli/orders/${file}`)];
  const faults = sources.filter((file) => /"(?:order|orders)"/.test(readFileSync(join(ROOT, file), "utf8")));
  expect(faults).toEqual([]);
});
