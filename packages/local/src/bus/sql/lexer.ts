// Cuts the text of a filter or an action into tokens (Service Bus documentation, "SQL filter syntax").

export interface Token {
  readonly kind: "keyword" | "name" | "string" | "integer" | "real" | "parameter" | "symbol" | "end";
  /** Keywords in upper case; names and strings without their quotation marks. */
  readonly text: string;
  readonly at: number;
}

/** The text is no filter or action. */
export class SyntaxFault extends Error {
  constructor(message: string, at: number) {
    super(`${message} (at character ${at + 1})`);
  }
}

const KEYWORDS = new Set("AND OR NOT LIKE IN IS NULL EXISTS ESCAPE TRUE FALSE SET REMOVE".split(" "));

type Rule = readonly [pattern: RegExp, kind: Token["kind"] | "space", read: (text: string) => string];

const same = (text: string) => text;
const unquoted = (mark: string) => (text: string) => text.slice(1, -1).replaceAll(mark + mark, mark);

/** The first that matches counts. */
const RULES: readonly Rule[] = [
  [/\s+/y, "space", same],
  [/'(?:[^']|'')*'/y, "string", unquoted("'")],
  [/\[(?:[^\]]|\]\])+\]/y, "name", unquoted("]")],
  [/"(?:[^"]|"")+"/y, "name", unquoted('"')],
  [/@[\p{L}_][\p{L}\p{Nd}_]*/uy, "parameter", same],
  [/\p{L}[\p{L}\p{Nd}_]*/uy, "name", same],
  [/\d+(?:\.\d+)?[eE][+-]?\d+|\d+\.\d+/y, "real", same],
  [/\d+/y, "integer", same],
  [/<>|!=|<=|>=|[=<>+\-*/%(),.;]/y, "symbol", same],
];

export function readTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const [kind, value, end] = readToken(text, at);
    if (kind !== "space") tokens.push({ kind, text: value, at });
    at = end;
  }
  tokens.push({ kind: "end", text: "", at });
  return tokens;
}

function readToken(text: string, at: number): [kind: Token["kind"] | "space", value: string, end: number] {
  for (const [pattern, kind, read] of RULES) {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found === undefined) continue;
    const end = at + found.length;
    const isPlainName = kind === "name" && /^\p{L}/u.test(found);
    if (isPlainName && KEYWORDS.has(found.toUpperCase())) return ["keyword", found.toUpperCase(), end];
    return [kind, read(found), end];
  }
  throw new SyntaxFault(`${JSON.stringify(text[at])} is not expected`, at);
}
