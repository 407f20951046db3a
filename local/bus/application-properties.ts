// Adds application properties to an encoded message: dead-letter reasons, and what a receiver asks to have modified.
import type { Typed } from "rhea";
import { readSection } from "./encoded-value.ts";
import { types } from "./rhea-internals.ts";

const PROPERTIES = 0x73;
const APPLICATION_PROPERTIES = 0x74;

export type PropertyChanges = Readonly<Record<string, unknown>>;

/** The same message with these application properties set; the others keep their exact encoding. */
export function withProperties(bytes: Buffer, changes: PropertyChanges): Buffer {
  if (Object.keys(changes).length === 0) return bytes;
  const place = findPlace(bytes);
  const items =
    place.end > place.start ? (new types.Reader(bytes.subarray(place.start, place.end)).read().value as Typed[]) : [];
  for (const [name, value] of Object.entries(changes)) {
    const at = items.findIndex((item, index) => index % 2 === 0 && item.value === name);
    if (at >= 0) items[at + 1] = types.wrap(value);
    else items.push(types.wrap_string(name), types.wrap(value));
  }
  const map = types.wrap_map({});
  map.value = items;
  const writer = new types.Writer();
  writer.write(types.described(types.wrap_ulong(APPLICATION_PROPERTIES), map));
  return Buffer.concat([bytes.subarray(0, place.start), writer.toBuffer(), bytes.subarray(place.end)]);
}

/** The section's extent, or the empty one where it belongs: behind the properties, before the body. */
function findPlace(bytes: Buffer): { start: number; end: number } {
  let at = 0;
  while (at < bytes.length) {
    const section = readSection(bytes, at);
    if (section.code === APPLICATION_PROPERTIES) return { start: at, end: section.end };
    if (section.code > PROPERTIES) break;
    at = section.end;
  }
  return { start: at, end: at };
}
