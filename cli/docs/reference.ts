// What each setting of its page is without a value, made of the code.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DOCS } from "./pages.ts";
import { defaultOf } from "./settings.ts";

const SETTINGS = join(DOCS, "reference/settings.md");

/** Whether the page's defaults are not what the code says. */
export function isStale(): boolean {
  const text = readFileSync(SETTINGS, "utf8");
  return withDefaults(text) !== text;
}

/** @returns whether anything changed */
export function writeReference(): boolean {
  const wasStale = isStale();
  if (wasStale) writeFileSync(SETTINGS, withDefaults(readFileSync(SETTINGS, "utf8")));
  return wasStale;
}

const DEFAULT_AT = 4;

/** Name, meaning, in Azure, default: the fourth is made. */
function withDefaults(text: string): string {
  const [before = "", after = ""] = text.split("\n## Settings\n");
  const lines = after.split("\n").map((line) => {
    const cells = line.split("|");
    const name = /^ `(\w+)` $/.exec(cells[1] ?? "")?.[1];
    // The tables of the agents' services have no default.
    if (name && cells.length > DEFAULT_AT + 1) cells[DEFAULT_AT] = ` ${defaultOf(name)} `.replace("  ", " ");
    return cells.join("|");
  });
  return `${before}\n## Settings\n${lines.join("\n")}`;
}
