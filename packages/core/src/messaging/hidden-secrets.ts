// Messages in dead-letter queues and in the quarantine, for operators who may not see jobs' secrets: they see the members that a contract knows. If
// such an operator corrects a message, what was left as it was shown stays as it is stored.
import { canonicalJson } from "../domain/canonical-json.ts";
import { HIDDEN } from "../domain/job.ts";
import { valueWithout, withTexts } from "../domain/redactor.ts";
import { type Contracts, contractOf } from "./contract.ts";
import type { DeadLetter, DeadLetterBody, DeadLetterSummary } from "./dead-letters.ts";
import { isNestedTooDeep } from "./deep-json.ts";
import { ownMessageShape, shapeOf, unionOf } from "./message-shapes.ts";
import { type Found, visible } from "./visible-members.ts";

/** A body that is not read may contain any value. */
const HIDDEN_TEXT = `${HIDDEN}: a body that is no JSON is shown to the role Jobs.ReadData`;

/** The properties that the app or Service Bus writes or reads. A sender may add any others. */
const KNOWN_PROPERTIES =
  /^(fault\d+|faultCount|queue|submissionId|statuses|traceparent|Diagnostic-Id|DeadLetterReason|DeadLetterErrorDescription|firstEnqueuedAt|postponeCause)$/i;

/** A fault names members that the contract does not know (checked.ts), and may be cut off within a name. */
const UNKNOWN_NAMES = /has no "[\s\S]*$/;

export interface MessageRedactor {
  /** The message as it is shown without the role to see secrets. */
  letter(letter: DeadLetter): DeadLetter;
  /** @param body of the same message */
  summary<Summary extends DeadLetterSummary>(summary: Summary, body: DeadLetterBody): Summary;
  /** Faults of a message, for logs. */
  faults(body: unknown, faults: readonly string[]): readonly string[];
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
  const all = [contracts.usual, ...Object.values(contracts.of)];
  const own = ownMessageShape(contracts.noun, unionOf(all.map(shapeOf)));
  const secrets = all.flatMap((contract) => contract.secrets);

  function read(body: DeadLetterBody): { readonly shown: DeadLetterBody; readonly found: Found } {
    const found: Found = { secrets, values: new Set() };
    // A text within JSON may itself be JSON.
    if (body.kind !== "json" || typeof body.json === "string" || isNestedTooDeep(body.json)) {
      return { shown: { kind: "text", text: HIDDEN_TEXT }, found };
    }
    const shape = isOwnMessage(body.json) ? own : shapeOf(contractOf(body.json, contracts));
    const json = valueWithout(visible(body.json, shape, found), [...found.values]);
    return { shown: { kind: "json", json }, found };
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
      return { ...summary(rest as DeadLetter, found), body: shown };
    },
    summary: (given, body) => summary(given, read(body).found),
    faults: (body, faults) => withoutFound(faults, read({ kind: "json", json: body }).found) as readonly string[],
    restored: (corrected, original) => {
      const { shown } = read(original);
      return original.kind === "json" && shown.kind === "json"
        ? restored(corrected, shown.json, original.json)
        : corrected;
    },
  };
}

/** A request to an agent, a reply, a start message or a cancellation. Only content that is none of them is a job's. */
function isOwnMessage(body: unknown): boolean {
  const { ticket, kind, attempt, direction } = Object(body) as { readonly [name: string]: unknown };
  if (ticket !== null && typeof ticket === "object") return true;
  return kind === "Cancel" || (typeof attempt === "number" && typeof direction === "string");
}

function withoutFound(value: unknown, { values }: Found): unknown {
  const shown = valueWithout(value, [...values]);
  return withTexts(shown, (text) => text.replace(UNKNOWN_NAMES, `has members that it may not have: ${HIDDEN}`));
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
