// LIKE: `%` any text, `_` one character, `[abc]` and `[^a-z]` one of a set. Matched without backtracking into every `%`,
// so that no pattern takes longer than the text times the pattern.

type Piece = { readonly kind: "any" } | { readonly kind: "one"; readonly accepts: (char: string) => boolean };

export type LikePattern = (text: string) => boolean;

export function likePattern(pattern: string, escapedBy: string | undefined): LikePattern {
  const pieces = piecesOf([...pattern], escapedBy);
  return (text) => matches(pieces, [...text]);
}

function piecesOf(chars: readonly string[], escapedBy: string | undefined): Piece[] {
  const pieces: Piece[] = [];
  for (let i = 0; i < chars.length; i += 1) {
    const char = chars[i] ?? "";
    const close = char === "[" ? chars.indexOf("]", i + 2) : -1;
    if (char === escapedBy) pieces.push(literal(chars[++i] ?? ""));
    else if (char === "%") pieces.push({ kind: "any" });
    else if (char === "_") pieces.push({ kind: "one", accepts: () => true });
    else if (close > 0) {
      pieces.push({ kind: "one", accepts: setOf(chars.slice(i + 1, close)) });
      i = close;
    } else pieces.push(literal(char));
  }
  return pieces;
}

const literal = (wanted: string): Piece => ({ kind: "one", accepts: (char) => char === wanted });

function setOf(given: readonly string[]): (char: string) => boolean {
  const negated = given[0] === "^";
  const chars = negated ? given.slice(1) : given;
  const ranges: (readonly [string, string])[] = [];
  for (let i = 0; i < chars.length; i += 1) {
    const [low = "", dash, high] = chars.slice(i, i + 3);
    if (dash === "-" && high !== undefined) {
      ranges.push([low, high]);
      i += 2;
    } else ranges.push([low, low]);
  }
  return (char) => ranges.some(([low, high]) => char >= low && char <= high) !== negated;
}

/** On a mismatch only the last `%` takes one character more: an earlier one need never be tried again. */
function matches(pieces: readonly Piece[], text: readonly string[]): boolean {
  let at = 0;
  let piece = 0;
  let lastAny = -1;
  let resume = 0;
  while (at < text.length) {
    const wanted = pieces[piece];
    if (wanted?.kind === "any") {
      lastAny = piece;
      resume = at;
      piece += 1;
    } else if (wanted?.kind === "one" && wanted.accepts(text[at] ?? "")) {
      at += 1;
      piece += 1;
    } else if (lastAny >= 0) {
      piece = lastAny + 1;
      resume += 1;
      at = resume;
    } else return false;
  }
  return pieces.slice(piece).every(({ kind }) => kind === "any");
}
