// A terminal's screen: as much of one as `npm start` writes to. Text, line ends, colours, the cursor up, the rest cleared.

export const COLOURS = ["red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;
export type Colour = (typeof COLOURS)[number] | "gray" | "plain";

/** Neighbouring characters of one colour. */
export interface Piece {
  readonly colour: Colour;
  readonly column: number;
  readonly text: string;
}

interface Cell {
  readonly character: string;
  readonly colour: Colour;
}

/** ECMA-48, section 5.4: a control sequence, its parameters and its final byte. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape begins with one.
const TOKEN = /\u001b\[([\d;]*)([A-Za-z])|[^\u001b]/gu;

const GRAY = 90;
const FIRST_COLOUR = 31;

export class Terminal {
  readonly #columns: number;
  readonly #rows: number;
  readonly #lines: Cell[][] = [[]];
  #line = 0;
  #column = 0;
  #colour: Colour = "plain";

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.#rows = rows;
  }

  write(output: string): void {
    for (const [token, parameters = "", final] of output.matchAll(TOKEN)) {
      if (final !== undefined) this.#control(final, parameters);
      else this.#put(token);
    }
  }

  /** The last lines that fit on the screen. */
  screen(): Piece[][] {
    const blank = this.#lines.at(-1)?.length === 0 ? 1 : 0;
    return this.#lines
      .slice(0, this.#lines.length - blank)
      .slice(-this.#rows)
      .map(piecesOf);
  }

  #put(character: string): void {
    if (character === "\n") {
      this.#line += 1;
      this.#column = 0;
      if (this.#line === this.#lines.length) this.#lines.push([]);
      return;
    }
    if (character === "\r") {
      this.#column = 0;
      return;
    }
    if (this.#column === this.#columns) this.#put("\n");
    const line = this.#lines[this.#line] ?? [];
    while (line.length < this.#column) line.push({ character: " ", colour: "plain" });
    line[this.#column] = { character, colour: this.#colour };
    this.#column += 1;
  }

  #control(final: string, parameters: string): void {
    const [first = 0] = parameters.split(";").map(Number);
    switch (final) {
      case "A":
        this.#line = Math.max(0, this.#line - Math.max(1, first));
        return;
      case "J":
        // All after the cursor, which stands at a line's beginning.
        this.#lines.length = this.#line + 1;
        this.#lines[this.#line]?.splice(this.#column);
        return;
      case "m":
        for (const one of parameters.split(";").map(Number)) this.#paint(one);
        return;
      default:
        throw new Error(`The terminal knows no control sequence ESC[${parameters}${final}`);
    }
  }

  #paint(code: number): void {
    if (code === GRAY) this.#colour = "gray";
    else this.#colour = COLOURS[code - FIRST_COLOUR] ?? "plain";
  }
}

function piecesOf(line: readonly Cell[]): Piece[] {
  const pieces: { colour: Colour; column: number; text: string }[] = [];
  for (const [column, { character, colour }] of line.entries()) {
    const last = pieces.at(-1);
    // The colour of a space does not show.
    if (last && (last.colour === colour || character === " ")) last.text += character;
    else if (character !== " ") pieces.push({ colour, column, text: character });
  }
  return pieces.map((piece) => ({ ...piece, text: piece.text.trimEnd() }));
}
