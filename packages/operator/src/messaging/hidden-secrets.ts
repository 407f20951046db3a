// Messages in dead-letter queues and in the quarantine, for operators who may not see jobs' secrets: they see the members that a contract knows. If
// such an operator corrects a message, what was left as it was shown stays as it is stored.

import type { Contracts } from "@scheduler-agent-supervisor/core/app";
import { canonicalJson, HIDDEN } from "@scheduler-agent-supervisor/core/domain";
import { type Found, memberRedactorOf, withoutFound } from "@scheduler-agent-supervisor/core/messaging";
import type { DeadLetterBody, DeadLetterSummary, ReadDeadLetter } from "./dead-letters.ts";

/** A body that is not read may contain any value. */
const HIDDEN_TEXT = `${HIDDEN}: a body that is no JSON is shown to the role Jobs.ReadData`;

/** The properties that the app or Service Bus writes or reads. A sender may add any others. */
const KNOWN_PROPERTIES =
  /^(fault\d+|faultCount|queue|submissionId|statuses|traceparent|Diagnostic-Id|DeadLetterReason|DeadLetterErrorDescription|firstEnqueuedAt|firstMessageId|postponeCause|sentSubject|expiresAt|bodySha256|bodyBytes|propertiesLeftOut)$/i;

export interface MessageRedactor {
  /** The message as it is shown without the role to see secrets. */
  letter(letter: ReadDeadLetter): ReadDeadLetter;
  /** @param body of the same message */
  summary<Summary extends DeadLetterSummary>(summary: Summary, body: DeadLetterBody): Summary;
  /** The corrected body, in which whatever is as it was shown is as it is stored. */
  restored(corrected: unknown, original: DeadLetterBody): unknown;
}

const redactors = new WeakMap<Contracts, MessageRedactor>();

export function redactorOf(contracts: Contracts): MessageRedactor {
  const known = redactors.get(contracts);
  if (known) return known;
  const made = createMessageRedactor(contracts);
  redactors.set(contracts, made);
  return made;
}

function createMessageRedactor(contracts: Contracts): MessageRedactor {
  const members = memberRedactorOf(contracts);

  function read(body: DeadLetterBody): { readonly shown: DeadLetterBody; readonly found: Found } {
    const { shown, found } = members.read(body.kind === "json" ? body.json : "");
    if (shown === undefined) return { shown: { kind: "text", text: HIDDEN_TEXT }, found };
    return { shown: { kind: "json", json: shown }, found };
  }

  const summary = <Summary extends DeadLetterSummary>(given: Summary, found: Found): Summary => {
    const { sequenceNumber, enqueuedAt } = given;
    return { ...(withoutFound(given, found) as Summary), sequenceNumber, enqueuedAt };
  };

  return {
    letter({ body, applicationProperties, ...letter }) {
      const { shown, found } = read(body);
      const properties = Object.entries(applicationProperties).map(([name, value]) =>
        KNOWN_PROPERTIES.test(name) ? [name, value] : [name, HIDDEN],
      );
      const rest = { ...letter, applicationProperties: Object.fromEntries(properties) };
      return { ...summary(rest as ReadDeadLetter, found), body: shown };
    },
    summary: (given, body) => summary(given, read(body).found),
    restored: (corrected, original) => {
      const { shown } = read(original);
      return original.kind === "json" && shown.kind === "json"
        ? restored(corrected, shown.json, original.json)
        : corrected;
    },
  };
}

function restored(corrected: unknown, shown: unknown, original: unknown): unknown {
  if (original === undefined) return corrected;
  if (corrected === HIDDEN || (shown !== undefined && canonicalJson(corrected) === canonicalJson(shown)))
    return original;
  if (Array.isArray(corrected))
    return corrected.map((item, at) => restored(item, memberOf(shown, at), memberOf(original, at)));
  if (corrected === null || typeof corrected !== "object") return corrected;
  return Object.fromEntries(
    Object.entries(corrected).flatMap(([name, member]) => {
      if (name === HIDDEN && member === memberOf(shown, HIDDEN)) {
        return Object.entries(Object(original)).filter(([known]) => memberOf(shown, known) === undefined);
      }
      return [[name, restored(member, memberOf(shown, name), memberOf(original, name))]];
    }),
  );
}

function memberOf(value: unknown, name: string | number): unknown {
  return value !== null && typeof value === "object" && Object.hasOwn(value, name)
    ? (value as { readonly [name: string]: unknown })[name]
    : undefined;
}
