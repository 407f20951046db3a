// JSON that loses nothing when it is read (RFC 8259 sections 4 and 6): numbers that a double can't hold, and members that are there twice.

/** No contract of the app nests deeper than a few levels. JSON.stringify fails at some thousands. */
export const DEPTH_LIMIT = 100;

/** @param most how many lists and objects may stand inside each other */
export function isNestedTooDeep(value: unknown, most = DEPTH_LIMIT): boolean {
  const open: (readonly [value: unknown, depth: number])[] = [[value, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [inner, depth] = next;
    if (inner === null || typeof inner !== "object" || ArrayBuffer.isView(inner)) continue;
    if (depth >= most) return true;
    for (const member of Object.values(inner)) open.push([member, depth + 1]);
  }
  return false;
}

/** What is lost of a JSON text that is read as usual: each with its place. */
export interface Lost {
  /** Places of numbers beyond 2^53, of which a reader keeps another one. */
  readonly numbers: readonly string[];
  /** Places of members that the object has already, of which a reader keeps the last one. */
  readonly repeated: readonly string[];
}

/** Within an object or a list, while its text is read. */
interface Frame {
  /** Undefined for a list. */
  readonly names: Set<string> | undefined;
  /** The member whose value follows; undefined before its name. */
  name: string | undefined;
  index: number;
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\],]/g;
/** Nobody reads more of them. */
const MOST_NAMED = 50;
/** A text without these has no number that could be too large, and is not read twice. */
const MAY_BE_INEXACT = /\d{16}|\d[eE]/;

/** @param text valid JSON, however deep */
export function lostOf(text: string): Lost {
  const [numbers, repeated]: [string[], string[]] = [[], []];
  const open: Frame[] = [];
  for (const [token] of text.matchAll(TOKEN)) {
    const frame = open.at(-1);
    if (token === "{" || token === "[") {
      open.push({ names: token === "{" ? new Set() : undefined, name: undefined, index: 0 });
    } else if (token === "}" || token === "]") {
      open.pop();
    } else if (token === ",") {
      if (frame) Object.assign(frame, { name: undefined, index: frame.index + 1 });
    } else if (token.startsWith('"')) {
      if (!frame?.names || frame.name !== undefined) continue;
      frame.name = JSON.parse(token) as string;
      if (frame.names.has(frame.name) && repeated.length < MOST_NAMED) repeated.push(placeIn(open));
      frame.names.add(frame.name);
    } else if (!isExact(token) && numbers.length < MOST_NAMED) {
      numbers.push(placeIn(open));
    }
  }
  return { numbers, repeated };
}

/** The number of names of a place that are shown: it may be nested deep. */
const SHOWN_LEVELS = 10;
const SHOWN_NAME = 100;

function placeIn(open: readonly Frame[]): string {
  const parts = open
    .slice(0, SHOWN_LEVELS)
    .map(({ names, name = "", index }, at) =>
      names ? `${at > 0 ? "." : ""}${name.slice(0, SHOWN_NAME)}` : `[${index}]`,
    );
  return `${parts.join("")}${open.length > SHOWN_LEVELS ? "…" : ""}`;
}

/** Whether a double keeps what the text says: whole numbers up to 2^53, and fractions as near as a double is. */
export function isExact(source: string): boolean {
  const value = Number(source);
  if (!Number.isInteger(value)) return Number.isFinite(value);
  if (!Number.isSafeInteger(value)) return false;
  // 100.000000000000000001 would become 100.
  return /[eE]/.test(source) || !/\.\d*[1-9]/.test(source);
}

/** @param value a JSON value that somebody else has parsed: whether one of its numbers may be another one than in the text */
export function mayHaveLost(value: unknown): boolean {
  const open = [value];
  for (let inner = open.pop(); inner !== undefined; inner = open.pop()) {
    if (typeof inner === "number" && Number.isInteger(inner) && !Number.isSafeInteger(inner)) return true;
    if (inner !== null && typeof inner === "object" && !ArrayBuffer.isView(inner)) open.push(...Object.values(inner));
  }
  return false;
}

/**
 * The value of a JSON text, in which a number that a double can't hold is the text of it: an id is then passed on as it came.
 * @throws SyntaxError if it is no JSON
 */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // The second reading is recursive.
  if (!MAY_BE_INEXACT.test(text) || isNestedTooDeep(value)) return value;
  return JSON.parse(text, (_name, member: unknown, context?: { readonly source?: string }) =>
    typeof member === "number" && context?.source !== undefined && !isExact(context.source) ? context.source : member,
  );
}

/**
 * JSON in the form of RFC 8785: equal content has equal text. An object of JavaScript can't be in that sequence, because it begins with its names that
 * are whole numbers.
 * @param change replaces a member that is no object; absent: each is unchanged
 */
export function canonicalJson(value: unknown, change: (member: unknown) => unknown = (member) => member): string {
  if (value === null || typeof value !== "object") return JSON.stringify(change(value)) ?? "null";
  if (Array.isArray(value)) return `[${value.map((member) => canonicalJson(member, change)).join(",")}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member, change)}`).join(",")}}`;
}
