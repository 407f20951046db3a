// The docs use the field's words: docs/reference/renamed.md lists the old ones, which nobody writes any more.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../cli/settings.ts";

const RETIRED = [
  /\bundo(es|ing|ne|s)?\b/i,
  /\bmend(s|ed|ing)?\b/i,
  /\b(?<!-)shops?\b/i,
  /\b(hear|hears|heard)\b/i,
  /\b(is|are|was|were|be|been) told\b/i,
  /\b(census|ledgers?|unsure)\b/i,
  /\b(wakes?|woken)\b/i,
  /\brefus(e|es|ed|al|als|ing)\b/i,
  /\b(by hand|in silence|silently|falls? silent)\b/i,
  /\b(sees?|seen) to\b/i,
  /\bstruck\b/i,
  /\bcan't be had\b/i,
];

/** Made of names in the code and of tests' titles, or a list of the old words. */
const EXEMPT = ["docs/reference/renamed.md", "docs/reference/conformance.md", "docs/reference/workflows.md"];

/** Without code, addresses, tests' titles, alerts' names, events' attributes, and what is made of names in the code. */
function prose(page: string): string {
  return page
    .replaceAll(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, "")
    .replaceAll(/<!-- npm run [\s\S]*?<!-- end -->/g, "")
    .replaceAll(/^\|.*\| `tests\/[^|]*\|$/gm, "")
    .replaceAll(/`[^`\n]*`( "[^"]*")?/g, "")
    .replaceAll(/^### [a-z]+(-[a-z]+)+$/gm, "")
    .replaceAll(/(\| (info|warn|error) \|[^|\n]*\|).*$/gm, "$1")
    .replaceAll(/^ {4,}.*$/gm, "")
    .replaceAll(/\]\([^)]*\)/g, "]")
    .replaceAll(/"[^"\n]*"/g, "");
}

/** Each retired word in a page, with its line. */
function retiredIn(file: string, page: string): string[] {
  return prose(page)
    .split("\n")
    .flatMap((line) =>
      RETIRED.flatMap((word) => {
        const found = word.exec(line)?.[0];
        return found ? [`${file}: ${found}: ${line.slice(0, 120)}`] : [];
      }),
    );
}

test("no page of the docs uses a retired word", () => {
  const pages = globSync("docs/**/*.md", { cwd: ROOT }).filter((file) => !EXEMPT.includes(file));
  expect(pages.length).toBeGreaterThan(40);
  expect(pages.flatMap((file) => retiredIn(file, readFileSync(join(ROOT, file), "utf8")))).toEqual([]);
});

test("planted: a retired word is found in prose, and not in code or in a name", () => {
  expect(retiredIn("a.md", "The order is undone.")).toHaveLength(1);
  expect(retiredIn("a.md", "The shop hears it.")).toHaveLength(2);
  expect(retiredIn("a.md", "It is `undone`, in tea-shop.\n\n```\nundo\n```\n")).toEqual([]);
});
