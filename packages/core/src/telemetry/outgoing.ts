// What leaves the process: logs, traces and answers have neither the app's own keys nor what opens a step's completion.

import { HIDDEN } from "../domain/content/job.ts";
import { redactorFor } from "../domain/content/redactor.ts";
import type { Attributes } from "./event-names.ts";

let redactor = redactorFor([]);

/** The app's own keys, once for the process. */
export function hideKeys(own: readonly string[]): void {
  redactor = redactorFor(own);
}

export function outgoingText(text: string): string {
  return redactor.text(text);
}

export function outgoingError(cause: unknown): unknown {
  return redactor.error(cause);
}

export function outgoingAttributes(attributes: Attributes): Attributes {
  return redactor.value(attributes);
}

/** A JSON value: also without the nonce of a request to an agent, whoever asks. */
export function outgoing(value: unknown, isTicket = false): unknown {
  if (typeof value === "string") return outgoingText(value);
  if (Array.isArray(value)) return value.map((item) => outgoing(item));
  if (value === null || typeof value !== "object" || "toJSON" in value) return value;
  const isRun = isTicket || "step" in value || "attempt" in value || "startBy" in value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) =>
      isRun && name === "nonce" && typeof member === "string"
        ? [name, HIDDEN]
        : [name, outgoing(member, name === "ticket")],
    ),
  );
}
