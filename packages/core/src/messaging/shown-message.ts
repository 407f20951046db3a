// What an operator without the role to see secrets is shown of a message that breaks its contract: the members that a contract knows, of these no
// secret, and no word of what is hidden. A word is found as it is written: not in an encoding, and not in pieces.
import { HIDDEN } from "../domain/content/job.ts";
import { redactorFor, textsIn, withTexts } from "../domain/content/redactor.ts";
import { type Contracts, contractOf, jobIdIn } from "./contract.ts";
import { isNestedTooDeep } from "./deep-json.ts";
import { fitting, itemOf, memberOf, ownMessageShape, type Shape, shapeOf, unionOf } from "./message-shapes.ts";
import type { Unreadable } from "./messenger.ts";

export interface ShownMessage {
  /** The JSON value; undefined if nothing of it may be shown. */
  readonly json?: unknown;
  /** A text that was made from the message, such as a fault. */
  text(text: string): string;
  /** The same for each text and long number of what stands around the message, under names of the app's own. */
  value(value: unknown): unknown;
}

/** A fault names members that the contract does not know (checked.ts), and may be cut off within a name. */
const UNKNOWN_NAMES = /has no "[\s\S]*$/;
/** What stands between white space, quotes and brackets: shown or hidden as a whole. */
const RUN = /[^\s"'`,;()[\]{}<>]+/g;
const WORD = /[\p{L}\p{N}]+/gu;
/** A shorter word of a secret is also an ordinary one. */
const NOTABLE = 4;
/** A word of what is only unknown is hidden elsewhere from this length on, if it has a digit. */
const NOTABLE_UNKNOWN = 8;
/** A short name, such as `pin`, is also a part of ordinary words. */
const NOTABLE_NAME = 8;
/** If more characters are hidden than this, so is the rest: as many as a whole message has in the standard tier of Service Bus. */
const MOST_HIDDEN = 262_144;

/** What opens a step's completion is shown to nobody. */
const withoutAddresses = redactorFor([]);
const SHORTEST_ADDRESS = 12;

/** The limit for an id in an arbitrary message. */
const ID_SHOWN = 80;

/** What the quarantine keeps: whatever its lists show is computed once, here. */
export function quarantined(message: Omit<Unreadable, "shown">, contracts: Contracts): Unreadable {
  const { body, messageId, correlationId, faults } = message;
  const { text } = shownMessage(body, contracts);
  const shown = (given: string | undefined) => (given ? text(given) : null);
  const ids = { jobId: shown(idIn(body, contracts)), messageId: shown(messageId), correlationId: shown(correlationId) };
  return { ...message, shown: { faults: faults.map(text), ...ids } };
}

/** The job that a message names. In one that was not checked the id is any text. */
export function shownJobId(body: unknown, contracts: Contracts): string | null {
  const id = idIn(body, contracts);
  return id ? shownMessage(body, contracts).text(id) : null;
}

const idIn = (body: unknown, contracts: Contracts) => jobIdIn(body, contracts)?.slice(0, ID_SHOWN);

const shapes = new WeakMap<Contracts, { readonly own: Shape; readonly secrets: readonly string[] }>();

/** Reads each character of the message a few times, whatever it has. */
export function shownMessage(body: unknown, contracts: Contracts): ShownMessage {
  // A text within JSON may itself be JSON.
  if (typeof body === "string" || isNestedTooDeep(body)) return shownBy(withoutUnknownNames);
  const { own, secrets } = shapesOf(contracts);
  const reading = new Reading(secrets);
  const json = reading.visible(body, isOwnMessage(body) ? own : shapeOf(contractOf(body, contracts)));
  if (reading.isTooMuch) return shownBy(() => HIDDEN);
  const text = (given: string) => {
    const rest = reading.withoutHidden(given);
    return rest.length < SHORTEST_ADDRESS ? rest : withoutAddresses.text(rest);
  };
  return { json: withTexts(json, text), ...shownBy((given) => text(withoutUnknownNames(given))) };
}

const shownBy = (text: ShownMessage["text"]): ShownMessage => ({
  text,
  value: (given) => withTexts(given, text, (name) => name),
});

const withoutUnknownNames = (text: string) =>
  text.replace(UNKNOWN_NAMES, `has members that it may not have: ${HIDDEN}`);

function shapesOf(contracts: Contracts) {
  const known = shapes.get(contracts);
  if (known) return known;
  const all = [contracts.usual, ...Object.values(contracts.of)];
  const own = ownMessageShape(unionOf(all.map(shapeOf)));
  const made = { own, secrets: all.flatMap((contract) => contract.secrets.map(plainName)) };
  shapes.set(contracts, made);
  return made;
}

/** A request to an agent, a reply, a start message or a cancellation. Only content that is none of them is a job's. */
function isOwnMessage(body: unknown): boolean {
  const { ticket, kind, attempt, direction } = Object(body) as { readonly [name: string]: unknown };
  if (ticket !== null && typeof ticket === "object") return true;
  return kind === "Cancel" || (typeof attempt === "number" && typeof direction === "string");
}

/** One message, and the words of what is hidden of it. */
class Reading {
  readonly #secrets: readonly string[];
  readonly #words = new Set<string>();
  #hidden = 0;

  /** @param secrets their plain names */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  get isTooMuch(): boolean {
    return this.#hidden > MOST_HIDDEN;
  }

  /** The value in the members that the shape knows. Others are counted. */
  visible(value: unknown, shape: Shape): unknown {
    if (this.isTooMuch) return HIDDEN;
    const fit = fitting(value, shape);
    if (!fit || fit.isCredential || fit.isHidden) return this.#hide(value, fit?.isCredential === true);
    // Such as `paymentToken=…`: what follows is the secret.
    if (typeof value === "string") return this.#namesSecret(value) ? this.#hide(value, false) : value;
    if (Array.isArray(value)) return value.map((item, at) => this.visible(item, itemOf(fit, at)));
    return value !== null && typeof value === "object" ? this.#members(value, fit) : value;
  }

  #members(value: object, shape: Shape): object {
    const shown: [string, unknown][] = [];
    let unknown = 0;
    for (const [name, member] of Object.entries(value)) {
      const own = memberOf(shape, name);
      const isSecret = this.#namesSecret(name);
      if (own) shown.push([name, isSecret ? this.#hide(member, true) : this.visible(member, own)]);
      else {
        unknown += 1;
        this.#hide(member, isSecret);
        this.#hide(name, false);
      }
    }
    if (unknown === 0) return Object.fromEntries(shown);
    const many = unknown === 1 ? "1 member that no contract knows is" : `${unknown} members that no contract knows are`;
    return Object.fromEntries([...shown, [HIDDEN, `${many} shown to the role Jobs.ReadData`]]);
  }

  #namesSecret(text: string): boolean {
    if (this.#secrets.every((name) => name.length > text.length)) return false;
    const plain = plainName(text);
    return this.#secrets.some((name) => plain === name || (name.length >= NOTABLE_NAME && plain.includes(name)));
  }

  #hide(value: unknown, isSecret: boolean): string {
    for (const text of textsIn(value)) {
      this.#hidden += text.length;
      if (text === HIDDEN || this.isTooMuch) continue;
      for (const [word] of text.matchAll(WORD))
        if (word.length >= (isSecret ? NOTABLE : NOTABLE_UNKNOWN) && (isSecret || /\d/.test(word)))
          this.#words.add(word.toLowerCase());
    }
    return HIDDEN;
  }

  withoutHidden(text: string): string {
    if (this.#words.size === 0) return text;
    const isHidden = (word: string) => word.length >= NOTABLE && this.#words.has(word.toLowerCase());
    const hides = (one: string) => one.length >= NOTABLE && (one.match(WORD) ?? []).some(isHidden);
    return hides(text) ? text.replace(RUN, (run) => (hides(run) ? HIDDEN : run)) : text;
  }
}

/** Whatever its spelling: `PaymentToken`, `payment_token` and `payment-token` are one name. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}
