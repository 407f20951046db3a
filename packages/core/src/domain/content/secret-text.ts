// Finds a secret in a text, however it is written there: in another case, with other separators, escaped or encoded.
import { HIDDEN } from "./job.ts";

/** Removes secrets from a text. */
export type Remove = (text: string) => string;

/** Nothing shorter is removed from a text: it would be found in ordinary words. */
const SHORTEST = 4;
/** From this many letters and digits on, a secret is found whatever stands between them. */
const NOTABLE = 8;
/** A pattern of a long text does not compile. In another case or with other separators a long one is found by its letters and digits. */
const LONGEST_PATTERN = 1000;
/** Escapes may be escaped again, as in JSON within JSON. One of these is for the JSON of the value that a text is in. */
const MOST_LEVELS = 5;

const ESCAPE =
  /(?:%[\da-f]{2})+|\\u\{[\da-f]{1,6}\}|\\u[\da-f]{4}|\\x[\da-f]{2}|&#x[\da-f]{1,6};|&#\d{1,7};|&(?:amp|quot|lt|gt|apos);|\\[bfnrt\\"'`/]/giu;
const ESCAPES = /[%\\&]/;
const NO_ASCII = /[^\0-\x7f]/;
const BASE64_RUN = /[A-Za-z\d+/_-]{8,}={0,2}/g;
const BEFORE = ["", "A", "AA", "AAA"];
const LONGEST_BEFORE = 3;
const LINE_BREAKS = /\\[nr]|\s/g;
/** Printable ASCII that JSON writes as it is. */
const PRINTABLE = /^[ !#-[\]-~]+$/;

/** @param values the secrets; empty and very short ones are in no text */
export function removerOf(values: Iterable<string>): Remove {
  const found = [...new Set(values)].filter(({ length }) => length >= SHORTEST);
  // Its first and last byte may be encoded together with what stands beside it.
  const fewest = Math.min(...found.map(({ length }) => length - 2));
  const each = found.map((value) => {
    // Made once a text may have the value: a message at fault may have hundreds, of which none is in a fault's words.
    let made: Remove | undefined;
    const remove = (text: string) => {
      made ??= removerOfOne(value);
      return made(text);
    };
    return { mayBeIn: traceOf(value), remove };
  });
  if (each.length === 0) return (text) => text;
  return (text) => {
    const read = readingOf(text, fewest);
    return each.reduce((shown, { mayBeIn, remove }) => (mayBeIn(read) ? remove(shown) : shown), text);
  };
}

/** A text in the forms in which a secret of ASCII characters may stand in it; undefined of another text, which may have it in more forms. */
interface Reading {
  readonly lower: string;
  readonly plain: string;
  /** What its base64 texts stand for, from each place where one may begin. */
  readonly decoded: string;
  readonly isEscaped: boolean;
}

/** @param fewest the bytes that an encoded secret has at least: what stands for fewer is not decoded */
function readingOf(text: string, fewest: number): Reading | undefined {
  if (NO_ASCII.test(text)) return undefined;
  const shortest = (fewest * 4) / 3 - LONGEST_BEFORE;
  const runs = [text, text.replace(LINE_BREAKS, "")]
    .flatMap((one) => one.match(BASE64_RUN) ?? [])
    .filter(({ length }) => length >= shortest);
  const decoded = [...new Set(runs)].flatMap((run) =>
    // It may be cut at its begin: the places are made before it, and nothing of it is left out.
    BEFORE.map((before) =>
      Buffer.from(before + run, "base64")
        .toString("latin1")
        .toLowerCase(),
    ),
  );
  return {
    lower: text.toLowerCase(),
    plain: plainText(text),
    decoded: decoded.join("\n"),
    isEscaped: ESCAPES.test(text),
  };
}

/** False only where the value is certainly in no form in the text. */
function traceOf(value: string): (read: Reading | undefined) => boolean {
  if (!PRINTABLE.test(value)) return () => true;
  const [lower, plain] = [value.toLowerCase(), plainText(value)];
  const inner = lower.slice(1, -1);
  const hex = Buffer.from(value).toString("hex");
  return (read) =>
    read === undefined ||
    read.lower.includes(lower) ||
    (plain !== "" && read.plain.includes(plain)) ||
    read.plain.includes(hex) ||
    read.decoded.includes(inner) ||
    (plain.length < NOTABLE && read.isEscaped);
}

/** Removes whole base64 or base64url texts that contain one of these, at whatever position. */
export function encodedRemoverOf(values: readonly string[]): Remove {
  const codes = [...new Set(values.flatMap(base64Of))].filter(({ length }) => length >= NOTABLE);
  const contains = (text: string) => codes.some((code) => text.includes(code));
  return (text) => {
    if (codes.length === 0) return text;
    const shown = contains(text) ? text.replace(BASE64_RUN, (run) => (contains(run) ? HIDDEN : run)) : text;
    // A long one may be broken into lines.
    return contains(shown.replace(LINE_BREAKS, "")) ? HIDDEN : shown;
  };
}

function removerOfOne(value: string): Remove {
  const written = [...new Set([value, inJson(value)])];
  const isLong = value.length > LONGEST_PATTERN;
  const exact = isLong ? undefined : new RegExp(written.map(literally).join("|"), "giu");
  const withoutExact = (text: string) =>
    exact ? text.replace(exact, HIDDEN) : written.reduce((shown, one) => shown.replaceAll(one, HIDDEN), text);
  const plain = [plainText(value), Buffer.from(value).toString("hex")].filter(({ length }) => length >= NOTABLE);
  const encoded = encodedRemoverOf([value, inJson(value), value.toLowerCase(), value.toUpperCase()]);
  const isIn = (text: string) => plain.some((one) => text.includes(one));
  const isWritten = (text: string) => withoutExact(text) !== text;
  const isShort = plain.length === 0 || plainText(value).length < NOTABLE;
  return (text) => {
    let shown = encoded(withoutExact(text));
    if (isIn(plainText(shown))) shown = withoutPlain(shown, plain);
    // What is escaped more than once has no place of its own in the text.
    const isLeft = isIn(plainText(shown)) || (isShort && ESCAPES.test(shown) && isWritten(unescaped(shown)));
    return isLeft ? HIDDEN : shown;
  };
}

/** Without what comes to one of these, and without what stands within it. */
function withoutPlain(text: string, values: readonly string[]): string {
  const { letters, from, to } = placesIn(text);
  let shown = "";
  let end = 0;
  for (let at = 0; at < letters.length; ) {
    const found = values.find((value) => letters.startsWith(value, at));
    if (found === undefined) {
      at += 1;
      continue;
    }
    shown += `${text.slice(end, from[at])}${HIDDEN}`;
    at += found.length;
    end = to[at - 1] ?? text.length;
  }
  return shown + text.slice(end);
}

/** The letters and digits of a text, and where in it each of them is. */
function placesIn(text: string) {
  let letters = "";
  const from: number[] = [];
  const to: number[] = [];
  for (const { 0: piece, index } of text.matchAll(new RegExp(`${ESCAPE.source}|[^]`, "giu"))) {
    const read = lettersOf(unescaped(piece, 1));
    letters += read;
    for (let at = 0; at < read.length; at += 1) {
      from.push(index);
      to.push(index + piece.length);
    }
  }
  return { letters, from, to };
}

/** The letters and digits that a text stands for. */
export function plainText(text: string): string {
  return lettersOf(unescaped(text));
}

function lettersOf(text: string): string {
  return NO_ASCII.test(text)
    ? text
        .normalize("NFKC")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]/gu, "")
    : text.toLowerCase().replace(/[^a-z\d]/g, "");
}

function unescaped(text: string, levels = MOST_LEVELS): string {
  if (levels === 0 || !ESCAPES.test(text)) return text;
  const read = text.replace(ESCAPE, characterOf);
  return read === text ? text : unescaped(read, levels - 1);
}

const NAMED: { readonly [name: string]: string } = { amp: "&", quot: '"', lt: "<", gt: ">", apos: "'" };

function characterOf(written: string): string {
  if (written.startsWith("%")) return Buffer.from(written.replaceAll("%", ""), "hex").toString("utf8");
  if (written.startsWith("&#x") || written.startsWith("&#X")) return character(Number.parseInt(written.slice(3), 16));
  if (written.startsWith("&#")) return character(Number.parseInt(written.slice(2), 10));
  if (written.startsWith("&")) return NAMED[written.slice(1, -1).toLowerCase()] ?? "";
  const hex = /^\\[ux]\{?([\da-f]+)/i.exec(written)?.[1];
  if (hex !== undefined) return character(Number.parseInt(hex, 16));
  // Control characters are no letters.
  return /[bfnrt]/i.test(written) ? " " : written.slice(1);
}

function character(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

/** What base64 and base64url have of the value, wherever in the encoded bytes it begins: only whole characters of it. */
function base64Of(value: string): string[] {
  const bytes = Buffer.from(value);
  return [0, 1, 2].flatMap((before) => {
    const code = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replaceAll("=", "");
    const first = before === 0 ? 0 : before + 1;
    const own = code.slice(first, Math.floor(((before + bytes.length) * 8) / 6));
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}
