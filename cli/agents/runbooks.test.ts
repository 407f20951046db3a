// The runbooks of an app have its words, and lead nowhere that the app has not.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../every-app/root.ts";
import { RUNBOOKS, runbooksInWords, runbooksOfAnyApp } from "./runbooks.ts";

const ORDER = { one: "order", many: "orders" };
const LOAN = { one: "loan", many: "loans" };
const APPLICATION = { one: "loan application", many: "loan applications" };

test.each([
  ["an order is stuck. An order waits", "a loan application is stuck. A loan application waits"],
  ["### jobs-overdue", "### jobs-overdue"],
  ["`npm run orders -- show ORDER`", "`npm run orders -- show LOAN-APPLICATION`"],
  ["| orders | order by TimeGenerated asc", "| loan applications | order by TimeGenerated asc"],
  ["Orders by cause", "Loan applications by cause"],
])("%s", (text, other) => {
  expect(runbooksInWords(text, ORDER, APPLICATION)).toBe(other);
  expect(runbooksInWords(other, APPLICATION, ORDER)).toBe(text);
});

test("the page can be written in other words and back", () => {
  const page = readFileSync(join(ROOT, RUNBOOKS), "utf8");
  const other = runbooksInWords(page, ORDER, LOAN);
  expect(other).toContain("Loans ended in Error");
  expect(runbooksInWords(other, LOAN, ORDER)).toBe(page);
});

test("the page of any app has no link to another page, and leads to each of its sections", () => {
  const page = runbooksOfAnyApp(readFileSync(join(ROOT, RUNBOOKS), "utf8"));
  expect(page.match(/\]\([^#)][^)]*\)/g)).toBeNull();
  const sections = [...page.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => title.toLowerCase().replaceAll(" ", "-"));
  for (const [, anchor] of page.matchAll(/\]\(#([^)]*)\)/g)) expect(sections).toContain(anchor);
});
