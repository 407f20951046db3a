// Splits the text of a query into tokens.
import { QueryFault } from "./fault.ts";

export interface Token {
  readonly kind: "word" | "string" | "number" | "parameter" | "symbol" | "end";
  /** As written; of a string, its content. */
  readonly text: string;
  /** Words in upper case, to be compared with keywords; otherwise the text. */
  readonly upper: string;
  readonly at: number;
}

const TOKEN =
  /\s+|--[^\n]*|([A-Za-z_$][\w$]*)|(@[\w$]+)|(0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(>>>|\?\?|\|\||<>|<=|>=|!=|<<|>>|[-+*/%=<>()[\]{},.:?!&|^~])/y;

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

export function tokenize(sql: string): readonly Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < sql.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(sql);
    if (!match) throw new QueryFault(`The query cannot be read at ${at}, '${sql.slice(at, at + 20)}'.`);
    const [, word, parameter, number, string, symbol] = match;
    if (word !== undefined) tokens.push({ kind: "word", text: word, upper: word.toUpperCase(), at });
    else if (parameter !== undefined) tokens.push({ kind: "parameter", text: parameter, upper: parameter, at });
    else if (number !== undefined) tokens.push({ kind: "number", text: number, upper: number, at });
    else if (string !== undefined) tokens.push({ kind: "string", text: unquote(string), upper: string, at });
    else if (symbol !== undefined) tokens.push({ kind: "symbol", text: symbol, upper: symbol, at });
  }
  tokens.push({ kind: "end", text: "end of query", upper: "", at: sql.length });
  return tokens;
}

function unquote(literal: string): string {
  const inner = literal.slice(1, -1);
  if (!inner.includes("\\")) return inner;
  return inner.replace(/\\u([0-9a-fA-F]{4})|\\(.)/gs, (_, code: string | undefined, char: string) =>
    code === undefined ? (ESCAPES[char] ?? char) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
