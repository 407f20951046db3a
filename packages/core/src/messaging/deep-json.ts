// JSON that is nested deeper than any content that this app reads. It parses, but JSON.stringify fails on it: it is kept as its text.

import { DEPTH_LIMIT, isNestedTooDeep } from "../domain/content/exact-json.ts";

export { DEPTH_LIMIT, isNestedTooDeep };

type Members = { readonly [name: string]: unknown };

/** The value for a message: unchanged, or, if it can't be serialised, the bytes of its JSON. */
export function sendable(body: unknown): unknown {
  return isNestedTooDeep(body) ? Buffer.from(jsonText(body)) : body;
}

/** The JSON of a value from JSON.parse, however deep. */
export function jsonText(parsed: unknown): string {
  const written: string[] = [];
  /** From the end: text, or a value that is still to be serialised. */
  const open: (string | { readonly value: unknown })[] = [{ value: parsed }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === "string") written.push(next);
    else open.push(...piecesOf(next.value).reverse());
  }
  return written.join("");
}

function piecesOf(value: unknown): (string | { readonly value: unknown })[] {
  if (value === null || typeof value !== "object") return [JSON.stringify(value) ?? "null"];
  if (Array.isArray(value)) return ["[", ...value.flatMap((item, at) => [at > 0 ? "," : "", { value: item }]), "]"];
  const members = Object.entries(value as Members);
  return [
    "{",
    ...members.flatMap(([name, member], at) => [`${at > 0 ? "," : ""}${JSON.stringify(name)}:`, { value: member }]),
    "}",
  ];
}
