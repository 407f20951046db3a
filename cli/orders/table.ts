// Tables for people: framed and as wide as the terminal; otherwise a line a row with tabs between the cells, and no header.
import { styleText } from "node:util";
import Table from "cli-table3";
import { plainText } from "./text.ts";

export type Colour = "green" | "red" | "yellow" | "cyan" | "gray";
export type Cell = string | { readonly text: string; readonly colour: Colour };

const USUAL_COLUMNS = 80;
/** A frame and a blank on each side of a cell, and one more frame. */
const FRAME = 3;
const LEAST_WIDTH = 5;

export const terminalColumns = (): number => process.stdout.columns || USUAL_COLUMNS;

export function printTable(head: readonly string[], rows: readonly (readonly Cell[])[]): void {
  if (rows.length === 0) return;
  if (process.stdout.isTTY) console.log(framed(head, rows, terminalColumns()));
  else for (const row of rows) console.log(row.map((cell) => plainText(textOf(cell))).join("\t"));
}

/** @param columns the width of the terminal */
export function framed(head: readonly string[], rows: readonly (readonly Cell[])[], columns: number): string {
  const cells = rows.map((row) => row.map((cell) => plainText(textOf(cell))));
  const natural = head.map((name, at) => Math.max(...[name, ...cells.map((row) => row[at] ?? "")].map(widthOf)));
  const room = columns - FRAME * head.length - 1;
  if (room < LEAST_WIDTH * head.length) return listed(head, cells, columns);
  const widths = fitted(natural, room);
  const styled = (text: string, at: number, colour?: Colour) =>
    wrapped(text, widths[at] ?? LEAST_WIDTH)
      .map((line) => (colour ? styleText(colour, line) : line))
      .join("\n");
  // Its own colours do not heed NO_COLOR.
  const table = new Table({ colWidths: widths.map((width) => width + 2), style: { head: [], border: [] } });
  table.push(head.map((name, at) => styled(name, at, "cyan")));
  rows.forEach((row, line) => {
    table.push(
      row.map((cell, at) => styled(cells[line]?.[at] ?? "", at, typeof cell === "string" ? undefined : cell.colour)),
    );
  });
  return table.toString();
}

const textOf = (cell: Cell): string => (typeof cell === "string" ? cell : cell.text);
const CHARACTERS = new Intl.Segmenter("en", { granularity: "grapheme" });
const charactersOf = (text: string): string[] => [...CHARACTERS.segment(text)].map(({ segment }) => segment);
/** Those of East Asia, and emoji, take two columns. */
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
const columnsOf = (character: string): number => (WIDE.test(character) ? 2 : 1);
/** Most texts have no other characters, each of one column. */
const USUAL = /^[ -~]*$/;
const widthOf = (text: string): number =>
  USUAL.test(text) ? text.length : charactersOf(text).reduce((sum, character) => sum + columnsOf(character), 0);

/** Where the columns have no room side by side: a line for each cell, and a blank line between two rows. */
function listed(head: readonly string[], cells: readonly (readonly string[])[], columns: number): string {
  const lineOf = (text: string, at: number) => (text === "" ? [] : wrapped(`${head[at]}: ${text}`, columns));
  return cells.map((row) => row.flatMap(lineOf).join("\n")).join("\n\n");
}

/** The widest columns become narrower, until all fit. */
function fitted(natural: readonly number[], room: number): number[] {
  const widths = natural.map((width) => Math.max(width, 1));
  const total = () => widths.reduce((sum, width) => sum + width, 0);
  for (let over = total() - room; over > 0; over = total() - room) {
    const widest = Math.max(...widths);
    if (widest <= LEAST_WIDTH) return widths;
    const next = Math.max(LEAST_WIDTH, ...widths.filter((width) => width < widest));
    const count = widths.filter((width) => width === widest).length;
    const less = Math.max(1, Math.min(widest - next, Math.ceil(over / count)));
    widths.forEach((width, at) => {
      if (width === widest) widths[at] = Math.max(LEAST_WIDTH, width - less);
    });
  }
  return widths;
}

/** In lines of that width; a longer word, such as an id, is broken and not cut. */
export function wrapped(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? "";
    const line = last === "" ? word : `${last} ${word}`;
    if (widthOf(line) <= width) {
      lines[lines.length - 1] = line;
      continue;
    }
    if (last === "") lines.pop();
    lines.push(...pieces(word, width));
  }
  return lines;
}

/** No character is cut in two. */
function pieces(word: string, width: number): string[] {
  const cut = [""];
  for (const character of charactersOf(word)) {
    const longer = `${cut.at(-1)}${character}`;
    if (widthOf(longer) <= width || cut.at(-1) === "") cut[cut.length - 1] = longer;
    else cut.push(character);
  }
  return cut;
}
