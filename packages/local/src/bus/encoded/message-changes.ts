// Changes the properties of an encoded message: dead-letter reasons, and what a receiver asks to have modified.
import type { Typed } from "rhea";
import { BUS_LIMITS } from "../limits.ts";
import { types } from "../rhea-internals.ts";
import { APPLICATION_PROPERTIES } from "./encoded-message.ts";
import { readSection } from "./encoded-value.ts";

export type PropertyChanges = Readonly<Record<string, unknown>>;

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
  const place = findPlace(bytes);
  const isThere = place.end > place.start;
  const items = isThere ? (new types.Reader(bytes.subarray(place.start, place.end)).read().value as Typed[]) : [];
  for (const [name, value] of Object.entries(changes)) {
    const at = items.findIndex((item, index) => index % 2 === 0 && String(item.value) === name);
    if (at >= 0) items[at + 1] = types.wrap(value);
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

/** The extent of the application properties, or the empty one where they belong: behind the sections with lower codes. */
function findPlace(bytes: Buffer): Place {
  let at = 0;
  while (at < bytes.length) {
    const section = readSection(bytes, at);
    if (section.code === APPLICATION_PROPERTIES) return { start: at, end: section.end };
    if (section.code > APPLICATION_PROPERTIES) break;
    at = section.end;
  }
  return { start: at, end: at };
}
