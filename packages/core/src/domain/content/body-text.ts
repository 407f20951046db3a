// The text of a body in bytes (RFC 8259 section 8.1): by its BOM, by the charset that its sender declares, or as UTF-8.

export type BodyText =
  | { readonly kind: "text"; readonly text: string }
  /** It is no text that can be read. */
  | { readonly kind: "unreadable"; readonly fault: string };

type Encoding = "utf-8" | "utf-16le" | "utf-16be";

const MARKS: readonly (readonly [mark: readonly number[], encoding: Encoding | "utf-32"])[] = [
  // Before UTF-16, whose mark it begins with.
  [[0xff, 0xfe, 0, 0], "utf-32"],
  [[0, 0, 0xfe, 0xff], "utf-32"],
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
];

/** Formats that are no text, by their first bytes. */
const PACKED: readonly (readonly [first: readonly number[], name: string])[] = [
  [[0x1f, 0x8b], "gzip"],
  [[0x28, 0xb5, 0x2f, 0xfd], "Zstandard"],
  [[0x50, 0x4b, 3, 4], "ZIP"],
];

/** ISO 8859-1 as its own standard says; TextDecoder would read Windows-1252. */
const LATIN_1 = /^(iso-?8859-?1|latin-?1|us-ascii|ascii)$/i;
const UTF_16 = /^(utf-16|unicode|ucs-2|iso-10646-ucs-2)$/i;

/** @param contentType of the message or of the answer, with its charset if it declares one */
export function textOfBody(bytes: Uint8Array, contentType = ""): BodyText {
  const packed = PACKED.find(([first]) => startsWith(bytes, first));
  if (packed) return unreadable(`is compressed with ${packed[1]}: send it uncompressed`);
  const [, marked] = MARKS.find(([mark]) => startsWith(bytes, mark)) ?? [];
  if (marked === "utf-32") return unreadable("is UTF-32, which is not read: send UTF-8");
  if (marked) return decoded(bytes, marked);
  const declared = /;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType)?.[1];
  const wide = wideWithoutMark(bytes);
  if (wide) return decoded(bytes, wide);
  if (declared === undefined) return decoded(bytes, "utf-8");
  if (UTF_16.test(declared)) return decoded(bytes, "utf-16be");
  if (LATIN_1.test(declared)) return { kind: "text", text: Buffer.from(bytes).toString("latin1") };
  return decoded(bytes, declared);
}

/** JSON has no NUL: where one stands beside what JSON begins with, it is UTF-16, whatever is declared. */
function wideWithoutMark([first, second]: Uint8Array): Encoding | undefined {
  if (first === 0 && beginsJson(second)) return "utf-16be";
  return second === 0 && beginsJson(first) ? "utf-16le" : undefined;
}

const beginsJson = (byte = 0) => /[\s{["\dtfn-]/.test(String.fromCharCode(byte)) && byte < 0x80;

/** A BOM is left out. */
function decoded(bytes: Uint8Array, encoding: string): BodyText {
  let decoder: InstanceType<typeof TextDecoder>;
  try {
    decoder = new TextDecoder(encoding, { fatal: true });
  } catch {
    return unreadable(`has the charset ${encoding.slice(0, 40)}, which is not known: send UTF-8`);
  }
  try {
    return { kind: "text", text: decoder.decode(bytes) };
  } catch {
    return unreadable(`is not valid ${decoder.encoding.toUpperCase()}: send UTF-8, or declare its charset`);
  }
}

function unreadable(fault: string): BodyText {
  return { kind: "unreadable", fault };
}

function startsWith(bytes: Uint8Array, first: readonly number[]): boolean {
  return first.every((byte, at) => bytes[at] === byte);
}
