// The secrets of jobs in dead letters: hidden from operators who may not see them, and restored if such an operator corrects a message.
import { HIDDEN } from "@scheduler-agent-supervisor/core/internal/domain/job";
import type { DeadLetter, DeadLetterBody } from "./dead-letters.ts";

/** A body that is not read may contain any value. */
const HIDDEN_TEXT = `${HIDDEN}: a body that is no JSON is shown to the role Jobs.ReadData`;

type Json = { readonly [name: string]: unknown };

/** @param secrets those of all contracts: the contract of the message is unknown */
export function withHiddenBody(letter: DeadLetter, secrets: readonly string[]): DeadLetter {
  return { ...letter, body: hiddenBody(letter.body, new Set(secrets)) };
}

function hiddenBody(body: DeadLetterBody, secrets: ReadonlySet<string>): DeadLetterBody {
  // A text within JSON may itself be JSON.
  if (body.kind !== "json" || typeof body.json === "string") return { kind: "text", text: HIDDEN_TEXT };
  return { kind: "json", json: hide(body.json, secrets) };
}

/** Limited in depth: a deeper value counts as text. */
function hide(value: unknown, secrets: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => hide(item, secrets));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, secrets.has(name) ? HIDDEN : hide(member, secrets)]),
  );
}

/** The corrected body, with the original's value for each secret that was left hidden. */
export function withStoredSecrets(corrected: unknown, original: unknown, secrets: readonly string[]): unknown {
  if (Array.isArray(corrected))
    return corrected.map((item, at) => withStoredSecrets(item, memberOf(original, at), secrets));
  if (corrected === null || typeof corrected !== "object") return corrected;
  return Object.fromEntries(
    Object.entries(corrected).map(([name, member]) => {
      const stored = memberOf(original, name);
      if (secrets.includes(name) && member === HIDDEN) return [name, stored ?? member];
      return [name, withStoredSecrets(member, stored, secrets)];
    }),
  );
}

function memberOf(value: unknown, name: string | number): unknown {
  return value !== null && typeof value === "object" && Object.hasOwn(value, name) ? (value as Json)[name] : undefined;
}
