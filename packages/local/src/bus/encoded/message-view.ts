// What a rule sees of an encoded message: its properties as values of the filter language.
import type { Typed } from "rhea";
import { types } from "../rhea-internals.ts";
import type { Properties } from "../sql/functions.ts";
import { FilterFault, type Known, textOf, UNKNOWN, Uuid, type Value } from "../sql/values.ts";
import { readItems, readSection, skipValue } from "./encoded-value.ts";

export const MESSAGE_ANNOTATIONS = 0x72;
export const PROPERTIES = 0x73;
export const APPLICATION_PROPERTIES = 0x74;

/** The fields of the properties section that a rule knows, by the names that Service Bus gives them in lower case. */
export const FIELDS: Readonly<Record<string, number>> = {
  messageid: 0,
  to: 2,
  label: 3,
  subject: 3,
  replyto: 4,
  correlationid: 5,
  contenttype: 6,
  sessionid: 10,
  replytosessionid: 12,
};

const ANNOTATIONS: Readonly<Record<string, string>> = {
  partitionkey: "x-opt-partition-key",
  viapartitionkey: "x-opt-via-partition-key",
  scheduledenqueuetimeutc: "x-opt-scheduled-enqueue-time",
};

/** What the broker knows of a message besides its bytes. */
export interface MessageFacts {
  readonly sequence: number;
  readonly enqueuedAt: number;
  readonly expiresAt: number;
  readonly deadLetterSource: string | undefined;
}

const FACTS: Readonly<Record<string, (facts: MessageFacts, bytes: Buffer) => Known>> = {
  sequencenumber: ({ sequence }) => BigInt(sequence),
  enqueuedsequencenumber: ({ sequence }) => BigInt(sequence),
  enqueuedtimeutc: ({ enqueuedAt }) => new Date(enqueuedAt),
  expiresatutc: ({ expiresAt }) => (Number.isFinite(expiresAt) ? new Date(expiresAt) : UNKNOWN),
  deadlettersource: ({ deadLetterSource }) => deadLetterSource ?? null,
  deliverycount: () => 0n,
  timetolive: ({ enqueuedAt, expiresAt }) => timeSpan(expiresAt - enqueuedAt),
  state: () => "Active",
  forcepersistence: () => false,
  // Nobody holds it yet.
  lockeduntilutc: () => null,
  locktoken: () => null,
  size: (_facts, bytes) => BigInt(bytes.length),
};

/** .NET's text of it; of a message that lives on its longest one. */
function timeSpan(ms: number): string {
  if (!Number.isFinite(ms)) return "10675199.02:48:05.4775807";
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const days = Math.floor(ms / DAY_MS);
  const time = [(ms % DAY_MS) / HOUR_MS, (ms % HOUR_MS) / MINUTE_MS, (ms % MINUTE_MS) / 1000].map(two).join(":");
  const rest = ms % 1000;
  return `${days > 0 ? `${days}.` : ""}${time}${rest > 0 ? `.${String(rest * 10_000).padStart(7, "0")}` : ""}`;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export class MessageView implements Properties {
  readonly #bytes: Buffer;
  readonly #facts: MessageFacts;
  readonly #sections: ReadonlyMap<number, number>;
  #user: ReadonlyMap<string, Value> | undefined;

  constructor(bytes: Buffer, facts: MessageFacts) {
    this.#bytes = bytes;
    this.#facts = facts;
    this.#sections = findSections(bytes);
  }

  user(name: string): Known {
    this.#user ??= this.#map(APPLICATION_PROPERTIES);
    return this.#user.get(name.toLowerCase());
  }

  /** Absent ones are null, as a property of .NET's message object is. */
  system(name: string): Known {
    const key = name.toLowerCase();
    const field = FIELDS[key];
    if (field !== undefined) return this.#field(field);
    const annotation = ANNOTATIONS[key];
    if (annotation !== undefined) return this.#map(MESSAGE_ANNOTATIONS).get(annotation) ?? null;
    const fact = FACTS[key];
    if (!fact) throw new FilterFault(`There is no system property ${name}`);
    return fact(this.#facts, this.#bytes);
  }

  #field(index: number): Value {
    const section = this.#sections.get(PROPERTIES);
    if (section === undefined) return null;
    const { count, first } = readItems(this.#bytes, section);
    if (index >= count) return null;
    let at = first;
    for (let field = 0; field < index; field += 1) at = skipValue(this.#bytes, at);
    const value = readValue(new types.Reader(this.#bytes.subarray(at)).read());
    // Message ids may be numbers and Guids as well; a rule sees their texts.
    return value === null ? null : textOf(value);
  }

  #map(code: number): ReadonlyMap<string, Value> {
    const section = this.#sections.get(code);
    if (section === undefined) return new Map();
    const items = new types.Reader(this.#bytes.subarray(section)).read().value as readonly Typed[];
    const map = new Map<string, Value>();
    for (let item = 0; item + 1 < items.length; item += 2) {
      map.set(String(items[item]?.value).toLowerCase(), readValue(items[item + 1] as Typed));
    }
    return map;
  }
}

/** Where the content of each section before the body begins. */
function findSections(bytes: Buffer): ReadonlyMap<number, number> {
  const sections = new Map<number, number>();
  for (let at = 0; at < bytes.length; ) {
    const { code, value, end } = readSection(bytes, at);
    if (code > APPLICATION_PROPERTIES) break;
    sections.set(code, value);
    at = end;
  }
  return sections;
}

const INTEGERS = new Set(["Ubyte", "Ushort", "Uint", "SmallUint", "Uint0", "Ulong", "SmallUlong", "Ulong0"]);
const SIGNED = new Set(["Byte", "Short", "Int", "SmallInt", "Long", "SmallLong"]);
const GROUPS = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/** The value of an AMQP type in the filter language; lists and the like have none and are null. */
function readValue(typed: Typed): Value {
  const { value } = typed as { value: unknown };
  const name = (typed as unknown as { type: { name: string } }).type.name;
  if (INTEGERS.has(name)) return Buffer.isBuffer(value) ? value.readBigUInt64BE() : BigInt(value as number);
  if (SIGNED.has(name)) return Buffer.isBuffer(value) ? value.readBigInt64BE() : BigInt(value as number);
  if (name === "Uuid") return new Uuid((value as Buffer).toString("hex").replace(GROUPS, "$1-$2-$3-$4-$5"));
  if (name === "Boolean") return value === 1 || value === true;
  const isPlain =
    ["string", "number", "boolean"].includes(typeof value) || value instanceof Date || Buffer.isBuffer(value);
  return isPlain && !/^(Decimal|Char)/.test(name) ? (value as Value) : null;
}
