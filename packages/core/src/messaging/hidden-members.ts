// What may be repeated of a message that breaks its contract: the members that a contract knows, and of these no secret.
import { HIDDEN } from "../domain/content/job.ts";
import { valueWithout, withTexts } from "../domain/content/redactor.ts";
import { type Contracts, contractOf } from "./contract.ts";
import { isNestedTooDeep } from "./deep-json.ts";
import { ownMessageShape, shapeOf, unionOf } from "./message-shapes.ts";
import { type Found, visible } from "./visible-members.ts";

/** A fault names members that the contract does not know (checked.ts), and may be cut off within a name. */
const UNKNOWN_NAMES = /has no "[\s\S]*$/;

export interface MemberRedactor {
  /** @returns the JSON value as it may be shown, undefined if nothing of it may, and what is hidden */
  read(json: unknown): { readonly shown?: unknown; readonly found: Found };
  /** Faults of a message, for logs. */
  faults(body: unknown, faults: readonly string[]): readonly string[];
}

const redactors = new WeakMap<Contracts, MemberRedactor>();

export function memberRedactorOf(contracts: Contracts): MemberRedactor {
  const known = redactors.get(contracts);
  if (known) return known;
  const made = createMemberRedactor(contracts);
  redactors.set(contracts, made);
  return made;
}

function createMemberRedactor(contracts: Contracts): MemberRedactor {
  const all = [contracts.usual, ...Object.values(contracts.of)];
  const own = ownMessageShape(unionOf(all.map(shapeOf)));
  const secrets = all.flatMap((contract) => contract.secrets);

  function read(json: unknown): { readonly shown?: unknown; readonly found: Found } {
    const found: Found = { secrets, values: new Set() };
    // A text within JSON may itself be JSON.
    if (typeof json === "string" || isNestedTooDeep(json)) return { found };
    const shape = isOwnMessage(json) ? own : shapeOf(contractOf(json, contracts));
    return { shown: valueWithout(visible(json, shape, found), [...found.values]), found };
  }

  return { read, faults: (body, faults) => withoutFound(faults, read(body).found) as readonly string[] };
}

/** A request to an agent, a reply, a start message or a cancellation. Only content that is none of them is a job's. */
function isOwnMessage(body: unknown): boolean {
  const { ticket, kind, attempt, direction } = Object(body) as { readonly [name: string]: unknown };
  if (ticket !== null && typeof ticket === "object") return true;
  return kind === "Cancel" || (typeof attempt === "number" && typeof direction === "string");
}

export function withoutFound(value: unknown, { values }: Found): unknown {
  const shown = valueWithout(value, [...values]);
  return withTexts(shown, (text) => text.replace(UNKNOWN_NAMES, `has members that it may not have: ${HIDDEN}`));
}
