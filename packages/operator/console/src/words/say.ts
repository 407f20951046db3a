// What the app calls a job. It is known with the session; until then a job is called so.
import { counted } from "@scheduler-agent-supervisor/core/domain";
import type { Session } from "../api/contract.ts";

let words: Session["words"] = { one: "job", many: "jobs" };

/** @param given undefined from an older instance of the app, as in the middle of a deployment */
export function nameJobs(given: Session["words"] | undefined): void {
  words = given ?? words;
}

/** So many of what the app calls a job. @param isAll false: at least so many */
export const countedJobs = (count: number, isAll = true): string => counted(count, words.one, words.many, isAll);

/** A text in which `{job}`, `{jobs}`, `{Job}` and `{Jobs}` are as the app has them. What is put into it stays. */
export function say(texts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return texts.map((text, at) => `${named(text)}${values[at] ?? ""}`).join("");
}

function named(text: string): string {
  return text.replaceAll(/\{(job|jobs)\}/gi, (_, asked: string) => {
    const word = asked.toLowerCase() === "job" ? words.one : words.many;
    return asked.startsWith("J") ? `${word.charAt(0).toUpperCase()}${word.slice(1)}` : word;
  });
}
