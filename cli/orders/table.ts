// Tables for people: framed and as wide as the terminal; otherwise a line a row with tabs between the cells, and no header.
import { styleText } from "node:util";
import Table from "cli-table3";
import { columnsFor, widthOf, wrapped } from "../every-app/wrapped.ts";
import { plainText } from "./text.ts";

type Colour = "green" | "red" | "yellow" | "cyan" | "gray";
export type Cell = string | { readonly text: string; readonly colour: Colour };

/** A frame and a blank on each side of a cell, and one more frame. */
const FRAME = 3;
const LEAST_WIDTH = 5;
/** A word that is broken into shorter pieces than this cannot be read. */
const LEAST_PIECE = 12;

export const terminalColumns = (): number => columnsFor(process.stdout);

export function printTable(head: readonly string[], rows: readonly (readonly Cell[])[]): void {
  if (rows.length === 0) return;
  if (process.stdout.isTTY) console.log(framed(head, rows, terminalColumns()));
  else for (const row of rows) console.log(row.map((cell) => plainText(textOf(cell))).join("\t"));
}

/** @param columns the width of the terminal */
export function framed(head: readonly string[], rows: readonly (readonly Cell[])[], columns: number): string {
  const cells = rows.map((row) => row.map((cell) => plainText(textOf(cell))));
  const textsOf = (at: number) => [head[at] ?? "", ...cells.map((row) => row[at] ?? "")];
  const natural = head.map((_, at) => Math.max(...textsOf(at).map(widthOf)));
  const room = columns - FRAME * head.length - 1;
  const isEmpty = (at: number) => cells.every((row) => (row[at] ?? "") === "");
  // Where there is no room for all, columns that say nothing are left out.
  if (sumOf(natural) > room && head.some((_, at) => isEmpty(at)) && !head.every((_, at) => isEmpty(at))) {
    const kept = <T>(row: readonly T[]) => row.filter((_, at) => !isEmpty(at));
    return framed(kept(head), rows.map(kept), columns);
  }
  if (room < LEAST_WIDTH * head.length) return listed(head, cells, columns);
  const words = head.map((_, at) => Math.max(...textsOf(at).flatMap((text) => text.split(" ").map(widthOf))));
  // A word is broken only where no other column can be narrower.
  const widths = narrowed(narrowed(natural, room, words), room);
  if (widths.some((width, at) => width < LEAST_PIECE && width < (words[at] ?? 0))) return listed(head, cells, columns);
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

/** Where the columns have no room side by side: a line for each cell, and a blank line between two rows. */
function listed(head: readonly string[], cells: readonly (readonly string[])[], columns: number): string {
  const lineOf = (text: string, at: number) => (text === "" ? [] : wrapped(`${head[at]}: ${text}`, columns));
  return cells.map((row) => row.flatMap(lineOf).join("\n")).join("\n\n");
}

const sumOf = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, 0);

/** The widest columns become narrower, until all fit. @param least what a column keeps; the others have nothing to give then */
function narrowed(natural: readonly number[], room: number, least: readonly number[] = []): number[] {
  const widths = natural.map((width) => Math.max(width, 1));
  const leastOf = (at: number) => Math.max(LEAST_WIDTH, least[at] ?? 0);
  for (let over = sumOf(widths) - room; over > 0; over = sumOf(widths) - room) {
    const wide = widths.flatMap((width, at) => (width > leastOf(at) ? [{ at, width }] : []));
    if (wide.length === 0) return widths;
    const widest = Math.max(...wide.map(({ width }) => width));
    for (const { at, width } of wide) {
      if (width < widest || over <= 0) continue;
      widths[at] = width - 1;
      over -= 1;
    }
  }
  return widths;
}
