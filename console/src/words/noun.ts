// What the app calls a job. It is known with the session; until then a job is called so.
import type { Session } from "../api/contract.ts";

let noun: Session["noun"] = { one: "job", many: "jobs" };

/** @param given undefined from an older instance of the app, as in the middle of a deployment */
export function nameJobs(given: Session["noun"] | undefined): void {
  noun = given ?? noun;
}

/** A text in which `{job}`, `{jobs}`, `{Job}` and `{Jobs}` are as the app has them: `purchaseOrder` is said as purchase order. What is put into it stays. */
export function say(texts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return texts.map((text, at) => `${named(text)}${values[at] ?? ""}`).join("");
}

function named(text: string): string {
  return text.replaceAll(/\{(job|jobs)\}/gi, (_, asked: string) => {
    const name = asked.toLowerCase() === "job" ? noun.one : noun.many;
    const words = name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ").toLowerCase();
    return asked.startsWith("J") ? `${words.charAt(0).toUpperCase()}${words.slice(1)}` : words;
  });
}
