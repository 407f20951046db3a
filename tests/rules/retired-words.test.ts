// The docs use the field's words: nobody writes the old ones any more.
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

/** Made of names in the code and of tests' titles. */
const EXEMPT = ["docs/reference/conformance.md", "docs/reference/workflows.md"];

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
  // Not what a build of the site leaves there: tables of what the code and the tests say.
  const made = ["**/node_modules/**", "docs/reference/tables/**"];
  const pages = globSync("docs/**/*.md", { cwd: ROOT, exclude: made }).filter((file) => !EXEMPT.includes(file));
  expect(pages.length).toBeGreaterThan(40);
  expect(pages.flatMap((file) => retiredIn(file, readFileSync(join(ROOT, file), "utf8")))).toEqual([]);
});

test("planted: a retired word is found in prose, and not in code or in a name", () => {
  expect(retiredIn("a.md", "The order is undone.")).toHaveLength(1);
  expect(retiredIn("a.md", "The shop hears it.")).toHaveLength(2);
  expect(retiredIn("a.md", "It is `undone`, in tea-shop.\n\n```\nundo\n```\n")).toEqual([]);
});

/** In names: each as a part of one, however it is spelled. */
const RETIRED_IN_NAMES = new Set(
  "tell tells telling told untold hear hears heard hearer wake wakes woken undo undos undoes undoing undone unsure ledger ledgers census mend mends mended strike strikes struck occasion standpoint silent silently silence refuse refuses refused refusal refusals refusing".split(
    " ",
  ),
);

/** Where the words are somebody else's: the broker and the store use those of their protocols. */
const NOT_OURS = [
  /^packages\/local\/src\/(?!remotes\/)/,
  /^tests\/conformance\//,
  // An option of vitest.
  /^tests\/mutants\/lane\.ts$/,
  /^tests\/rules\/retired-words\.test\.ts$/,
];

/** The code without comments, texts and patterns: what is left are names. Texts of one word are names too. */
function namesIn(source: string): string[] {
  const code = source.replaceAll(
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"((?:[^"\\\n]|\\.)*)"|`(?:[^`\\]|\\.)*`|(?<=[(,=:] ?)\/(?:[^/\\\n]|\\.)+\/[a-z]*/g,
    (_, text?: string) => (text && /^[A-Za-z]+$/.test(text) ? ` ${text} ` : " "),
  );
  return code.match(/[A-Za-z_$][\w$]*/g) ?? [];
}

function retiredNames(source: string): string[] {
  const parts = (name: string) => name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  return [...new Set(namesIn(source))].filter((name) =>
    parts(name).some((part) => RETIRED_IN_NAMES.has(part.toLowerCase())),
  );
}

test("no name in the code has a retired word in it", () => {
  const files = globSync(
    "{packages/*/src,packages/operator/console,functions,shared,cli,tests,bench,docs/.vitepress/simulator}/**/*.{ts,tsx}",
    { cwd: ROOT },
  )
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => !/node_modules|\/dist\//.test(file) && !NOT_OURS.some((own) => own.test(file)));
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) =>
    retiredNames(readFileSync(join(ROOT, file), "utf8")).map((name) => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
});

test("planted: a retired word is found in a name and in a text of one word, and not in a sentence", () => {
  expect(retiredNames('const isToldAgain = kind === "undone";')).toEqual(["isToldAgain", "undone"]);
  expect(retiredNames('// undone\nthrow new Error("it was undone");')).toEqual([]);
});
