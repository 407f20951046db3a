// Changes the properties of an encoded message: dead-letter reasons, what a receiver asks to have modified, and what a rule's action sets.
import type { Typed } from "rhea";
import { BUS_LIMITS } from "../limits.ts";
import { types } from "../rhea-internals.ts";
import { readItems, readSection, skipValue } from "./encoded-value.ts";
import { APPLICATION_PROPERTIES, PROPERTIES } from "./message-view.ts";

export type PropertyChanges = Readonly<Record<string, unknown>>;

const NULL = Buffer.from([0x40]);
/** rhea's own: a longer list of fields is none of a message's properties. */
const FIELD_COUNT = 13;

/** What is too long among the reasons for which a message becomes a dead letter. */
export function deadLetterFault(reasons: PropertyChanges): string | undefined {
  const { value: most } = BUS_LIMITS.deadLetterReason;
  for (const name of ["DeadLetterReason", "DeadLetterErrorDescription"]) {
    const reason = reasons[name];
    if (typeof reason === "string" && reason.length > most) {
      return `${name} has ${most} characters at most, not ${reason.length}.`;
    }
  }
  return undefined;
}

/** The same message with these application properties set; the others keep their exact encoding. */
export function withProperties(bytes: Buffer, changes: PropertyChanges): Buffer {
  if (Object.keys(changes).length === 0) return bytes;
  return changeApplicationProperties(bytes, new Map(Object.entries(changes)), sameName);
}

/** As SQL actions do it: names are not case-sensitive, and `undefined` removes. */
export function withUserProperties(bytes: Buffer, changes: ReadonlyMap<string, Typed | undefined>): Buffer {
  if (changes.size === 0) return bytes;
  return changeApplicationProperties(bytes, changes, (one, other) => one.toLowerCase() === other.toLowerCase());
}

/** The same message with these fields of its properties section, by their index, set. */
export function withFields(bytes: Buffer, changes: ReadonlyMap<number, Typed>): Buffer {
  if (changes.size === 0) return bytes;
  const place = findPlace(bytes, PROPERTIES);
  const fields = readFields(bytes, place);
  for (const [index, value] of changes) {
    while (fields.length <= index) fields.push(NULL);
    fields[index] = encode(value);
  }
  const content = Buffer.concat(fields);
  const head = Buffer.from([0x00, 0x53, PROPERTIES, 0xd0, 0, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32BE(4 + content.length, 4);
  head.writeUInt32BE(fields.length, 8);
  return Buffer.concat([bytes.subarray(0, place.start), head, content, bytes.subarray(place.end)]);
}

function readFields(bytes: Buffer, { start, end }: Place): Buffer[] {
  if (start === end) return [];
  const { count, first } = readItems(bytes, readSection(bytes, start).value);
  const fields: Buffer[] = [];
  let at = first;
  for (let field = 0; field < Math.min(count, FIELD_COUNT); field += 1) {
    const next = skipValue(bytes, at);
    fields.push(bytes.subarray(at, next));
    at = next;
  }
  return fields;
}

function sameName(one: string, other: string): boolean {
  return one === other;
}

function changeApplicationProperties(
  bytes: Buffer,
  changes: ReadonlyMap<string, unknown>,
  isSame: (one: string, other: string) => boolean,
): Buffer {
  const place = findPlace(bytes, APPLICATION_PROPERTIES);
  const isThere = place.end > place.start;
  const items = isThere ? (new types.Reader(bytes.subarray(place.start, place.end)).read().value as Typed[]) : [];
  for (const [name, value] of changes) {
    const at = items.findIndex((item, index) => index % 2 === 0 && isSame(String(item.value), name));
    if (value === undefined) {
      if (at >= 0) items.splice(at, 2);
    } else if (at >= 0) items[at + 1] = types.wrap(value);
    else items.push(types.wrap_string(name), types.wrap(value));
  }
  const map = types.wrap_map({});
  map.value = items;
  const section = encode(types.described(types.wrap_ulong(APPLICATION_PROPERTIES), map));
  return Buffer.concat([bytes.subarray(0, place.start), section, bytes.subarray(place.end)]);
}

function encode(value: Typed): Buffer {
  const writer = new types.Writer();
  writer.write(value);
  return writer.toBuffer();
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** The section's extent, or the empty one where it belongs: behind those with lower codes. */
function findPlace(bytes: Buffer, wanted: number): Place {
  let at = 0;
  while (at < bytes.length) {
    const section = readSection(bytes, at);
    if (section.code === wanted) return { start: at, end: section.end };
    if (section.code > wanted) break;
    at = section.end;
  }
  return { start: at, end: at };
}
