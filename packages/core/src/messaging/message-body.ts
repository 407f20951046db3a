// The body of a received message: the JSON in its bytes, or the reason why they can't be read.
import { textOfBody } from "../domain/content/body-text.ts";
import { lostOf, mayHaveLost, parseExactly } from "../domain/content/exact-json.ts";

export interface MessageBody {
  /** The JSON value; the text of a body that is no JSON; undefined for bytes that are no text. */
  readonly value: unknown;
  /** What was lost when it was read, or kept it from being read. */
  readonly faults: readonly string[];
}

/** `rejected`: of content, whose digits are its sender's. `asText`: of an agent's answer, for it is an id that goes back to where it came from. */
export type LargeNumbers = "rejected" | "asText";

/**
 * @param bound the bytes; or, from a function whose trigger does not bind bytes, what the host has made of them
 * @param contentType the message's
 * @param largeNumbers what becomes of numbers beyond 2^53, of which a double loses digits
 */
export function readBody(bound: unknown, contentType: string | undefined, largeNumbers: LargeNumbers): MessageBody {
  if (!(bound instanceof Uint8Array)) {
    return { value: bound, faults: mayHaveLost(bound) ? [`the body: has a number ${BEYOND}`] : [] };
  }
  const bytes = Buffer.from(bound.buffer, bound.byteOffset, bound.byteLength);
  const serialized = serializedText(bytes);
  const read =
    serialized === undefined ? textOfBody(bytes, contentType) : ({ kind: "text", text: serialized } as const);
  if (read.kind === "unreadable") return { value: undefined, faults: [`the body: ${read.fault}`] };
  const { text } = read;
  try {
    const value = largeNumbers === "asText" ? parseExactly(text) : (JSON.parse(text) as unknown);
    return { value, faults: faultsIn(text, largeNumbers) };
  } catch {
    return { value: text, faults: [] };
  }
}

const BEYOND = "that is beyond 2^53, of which digits would be lost: send it as text";

function faultsIn(text: string, largeNumbers: LargeNumbers): string[] {
  const { numbers, repeated } = lostOf(text);
  return [
    ...(largeNumbers === "rejected" ? numbers.map((place) => `${place || "the body"}: is a number ${BEYOND}`) : []),
    ...repeated.map((place) => `${place}: is there twice`),
  ];
}

/** `<string xmlns="…">` in .NET's binary XML, up to its text: an older .NET client writes a text so. */
const STRING_ELEMENT = Buffer.concat([
  Buffer.from([0x40, 6]),
  Buffer.from("string"),
  Buffer.from([0x08, 51]),
  Buffer.from("http://schemas.microsoft.com/2003/10/Serialization/"),
]);
/** The record types of a text with the end of its element, and the bytes of its length ([MC-NBFX], 2.2.3). */
const LENGTHS: ReadonlyMap<number, number> = new Map([
  [0x99, 1],
  [0x9b, 2],
  [0x9d, 4],
]);

function serializedText(bytes: Buffer): string | undefined {
  const at = STRING_ELEMENT.length;
  if (bytes.length <= at || !bytes.subarray(0, at).equals(STRING_ELEMENT)) return undefined;
  const width = LENGTHS.get(bytes.readUInt8(at));
  if (width === undefined || bytes.length < at + 1 + width) return undefined;
  const start = at + 1 + width;
  return start + bytes.readUIntLE(at + 1, width) === bytes.length ? bytes.toString("utf8", start) : undefined;
}
