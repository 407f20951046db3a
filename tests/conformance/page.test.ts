// The page of conformance is what the last runs say, and each test that neither passes nor is refused has a reason.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { outcomeOf, refusalOf } from "./outcome.ts";
import { pageOf, readRuns } from "./page.ts";

test("the page is generated from the kept runs, and knows the reason of every difference", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/reference/conformance.md"), "utf8");
  expect(page).toBe(pageOf(readRuns()));
  expect(page.split("\n").filter((line) => line.includes("| *unknown* |"))).toEqual([]);
});

test("a refusal that names what is not there is distinguished from a failure", () => {
  expect(outcomeOf(undefined)).toEqual({ outcome: "passed" });
  expect(outcomeOf("Error: Users are not supported by this server: POST dbs/x1234/users.\n  at x")).toEqual({
    outcome: "refused",
    error: "Error: Users are not supported by this server: POST dbs/x#/users.",
  });
  expect(outcomeOf("AssertionError: 1 is not 2").outcome).toBe("failed");
});

test.each([
  [
    "Error: Users and their permissions are not supported by this server: POST dbs/x#/users.",
    "Users and their permissions",
  ],
  ["Error: The function is not supported by this server: MAKESET.", "The function MAKESET"],
  [
    'RestError: Create topic "t" : The entry describes no queue. Topics, subscriptions and rules are not supported by this broker: it has queues alone.',
    "Topics, subscriptions and rules",
  ],
  [
    'The app cannot run here: function "f": this host has no output "blob"; it knows http',
    'this host has no output "blob"',
  ],
])("%s names %s", (error, what) => {
  expect(refusalOf(error)).toBe(what);
});
