// Texts for a terminal: without control characters, whoever wrote them; times as the reader's clock shows them.
import { stripVTControlCharacters } from "node:util";
import { counted } from "@scheduler-agent-supervisor/core/domain";
import { type JobWait, roundedDuration, waitInWords } from "@scheduler-agent-supervisor/operator/domain";
import { words } from "../../shared/words.ts";
import { withAddress } from "../every-app/printed-commands.ts";
import { forOutput } from "../every-app/wrapped.ts";

/** C0 and C1, and the marks that change the direction of writing: what a service says may not move the cursor or disguise a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

/** On one line. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROL, " ").trim();
}

/** Prints a line, as wide as the terminal. */
export function say(line = ""): void {
  console.log(forOutput(withAddress(line.split("\n").map(lineText).join("\n"))));
}

/** What is said about the rows: apart from them, where a program reads them. */
export function sayBeside(line: string, asJson: boolean): void {
  if (asJson) console.error(withAddress(plainText(line)));
  else say(line);
}

/** How to see the rest; apart from the rows, where a program reads them. @param call what was asked for */
export function sayMore(
  call: string,
  continuation: string | undefined,
  asJson = false,
  where: "before" | "after" = "before",
): void {
  if (continuation === undefined) return;
  sayBeside(`There are more ${where} these: npm run orders -- ${call} --continue ${continuation}`, asJson);
}

/** With its indentation. */
const lineText = (line: string) => `${/^ */.exec(line)?.[0]}${plainText(line)}`;

/** One JSON value on a line. */
export function sayJson(value: unknown): void {
  console.log(jsonText(value));
}

/** JSON itself leaves the C1 characters as they are. @param indent the lines are one's own, and stay */
export function jsonText(value: unknown, indent?: number): string {
  const shown = (line: string) => line.replace(CONTROL, (marks) => [...marks].map(escaped).join(""));
  return JSON.stringify(value, null, indent).split("\n").map(shown).join("\n");
}

export function sayEach(values: readonly unknown[]): void {
  for (const value of values) sayJson(value);
}

const escaped = (mark: string) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`;

const DAY = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short" });
const TIME = new Intl.DateTimeFormat("sv-SE", { timeStyle: "medium" });

/** In the local zone on a terminal, with the date if that is another day; in a pipe as it is. */
export function timeText(at: string): string {
  const date = new Date(at);
  if (!process.stdout.isTTY || Number.isNaN(date.getTime())) return at;
  const day = DAY.format(date);
  return day === DAY.format(new Date()) ? TIME.format(date) : `${day} ${TIME.format(date)}`;
}

/** An instant as the app writes it into a text. */
const WRITTEN = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;
export const withTimes = (text: string): string => text.replace(WRITTEN, timeText);

/** With an initial capital. */
export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** What is written of orders, in this app's words; an id in a call stays ORDER. */
export const inOwnWords = (text: string): string =>
  text
    .replace(/(?<!npm run )\borders\b/g, words.many)
    .replace(/\ban order\b/g, `${/^[aeiou]/.test(words.one) ? "an" : "a"} ${words.one}`)
    .replace(/\border\b/g, words.one);

/** @param isAll false: at least so many */
export const countedOrders = (count: number, isAll = true): string => counted(count, words.one, words.many, isAll);

interface Causes {
  readonly causes: readonly { readonly cause: string | null; readonly count: number }[];
  readonly isAll: boolean;
}

/** Why messages could not be processed, each cause with its number: a cause may itself begin with a number or a name. */
export const causesText = ({ causes, isAll }: Causes): string =>
  causes
    .map(({ cause, count }) => {
      const messages = counted(count, "message", "messages", isAll);
      return cause === null ? `${messages} for other reasons` : `${messages} with "${cause}"`;
    })
    .join("; ");

/** Why an order waits. */
export const waitText = (wait: JobWait): string => withTimes(waitInWords(wait, timeText));

export function ago(at: string): string {
  return `${roundedDuration(Date.now() - Date.parse(at))} ago`;
}
