// Bicep's text as tokens, for bicep-expressions.ts.

export interface Token {
  readonly kind: "line" | "number" | "word" | "mark" | "text" | "end";
  readonly text: string;
  /** Of a text: what stands between its interpolations, and these. */
  readonly pieces: readonly (string | { readonly code: string })[];
}

const TOKEN =
  /(?<space>[ \t\r]+|\/\/[^\n]*|#disable-next-line[^\n]*)|(?<line>\n)|(?<number>\d+)|(?<word>[A-Za-z_]\w*)|(?<mark>=>|::|==|!=|<=|>=|&&|\|\||[?:.,=(){}[\]!<>+@-])|(?<quote>')/y;

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (!found) throw new Error(`no Bicep: ${text.slice(at, at + 40)}`);
    at = TOKEN.lastIndex;
    const [kind = "", said = ""] = Object.entries(found.groups ?? {}).find(([, value]) => value !== undefined) ?? [];
    if (kind === "quote") {
      const { pieces, end } = textFrom(text, at);
      tokens.push({ kind: "text", text: "", pieces });
      at = end;
    } else if (kind !== "space") tokens.push({ kind: kind as Token["kind"], text: said, pieces: [] });
  }
  return [...tokens, { kind: "end", text: "the end", pieces: [] }];
}

/** A text up to its closing quote. */
function textFrom(whole: string, start: number): { pieces: Token["pieces"]; end: number } {
  const pieces: (string | { readonly code: string })[] = [];
  let plain = "";
  for (let at = start; ; at += 1) {
    const sign = whole[at];
    if (sign === undefined || sign === "\n") throw new Error(`a text does not end: ${whole.slice(start, start + 40)}`);
    if (sign === "'") return { pieces: [...pieces, plain], end: at + 1 };
    if (sign === "\\") {
      at += 1;
      plain += whole[at] === "n" ? "\n" : whole[at];
    } else if (sign === "$" && whole[at + 1] === "{") {
      const end = closingBrace(whole, at + 2);
      pieces.push(plain, { code: whole.slice(at + 2, end) });
      plain = "";
      at = end;
    } else plain += sign;
  }
}

function closingBrace(text: string, start: number): number {
  let depth = 1;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (depth === 0) return at;
  }
  throw new Error("an interpolation does not end");
}
