// Shows orders move: rows that are redrawn on a terminal, a line for each change elsewhere.
import { clearScreenDown, moveCursor } from "node:readline";
import { styleText } from "node:util";
import { isInHand, type StateRecord, type StepState } from "@scheduler-agent-supervisor/core/domain";
import { plainText } from "../orders/text.ts";

const STATE_WIDTH = 11;
const USUAL_COLUMNS = 80;
const USUAL_ROWS = 24;
const ENDED: readonly string[] = ["Processed", "Compensated", "Cancelled", "Error", "Quarantined"];

export interface Row {
  readonly orderId: string;
  readonly about: string;
  readonly state: string;
  /** Where in its workflow it is, and what went wrong. */
  readonly detail: string;
  readonly seconds: number;
}

export interface Board {
  show(rows: readonly Row[]): void;
}

/** What of a state record a person wants to see at a glance. */
export function describeRecord(record: StateRecord): { state: string; detail: string } {
  const steps = Object.entries(record.steps);
  const count = (state: StepState) => steps.filter(([, step]) => step.state === state).length;
  const compensating = record.direction === "compensate";
  const running = steps.flatMap(([name, step]) => (isInHand(compensating ? step.compensation : step) ? [name] : []));
  // What ran beside the step that ended an order in Error is not what went wrong.
  const current = record.processState === "Error" && !compensating ? [record.error?.step ?? []].flat() : running;
  const parts = compensating
    ? [`${count("Compensated")} compensated`]
    : [`${count("Completed")}/${steps.length - count("Skipped")} steps`];
  if (!compensating && count("Skipped") > 0) parts.push(`${count("Skipped")} skipped`);
  if (current.length > 0) parts.push(current.join(" and "));
  if (record.attempt > 1) parts.push(`attempt ${record.attempt}`);
  if (record.error) parts.push(record.error.message);
  return { state: record.processState, detail: parts.join(", ") };
}

export function colourOfState(state: string): "green" | "red" | "yellow" | "cyan" | "gray" {
  switch (state) {
    case "Processed":
      return "green";
    case "Error":
      return "red";
    case "Quarantined":
    case "Compensated":
    case "Cancelled":
      return "yellow";
    case "Processing":
      return "cyan";
    default:
      return "gray";
  }
}

export function createBoard(output: NodeJS.WriteStream): Board {
  return output.isTTY ? liveBoard(output) : lineBoard(output);
}

function liveBoard(output: NodeJS.WriteStream): Board {
  let drawn = 0;
  return {
    show(rows) {
      const lines = linesFor(rows, output.columns || USUAL_COLUMNS, output.rows || USUAL_ROWS);
      moveCursor(output, 0, -drawn);
      clearScreenDown(output);
      for (const line of lines) output.write(`${line}\n`);
      drawn = lines.length;
    },
  };
}

/** No more lines than the screen has: what has scrolled away can't be redrawn. Orders that have not ended come first. */
export function linesFor(rows: readonly Row[], columns: number, screen: number): string[] {
  const room = Math.max(1, screen - 1);
  if (rows.length <= room) return rows.map((row) => format(row, columns));
  const isOver = ({ state }: Row) => ENDED.includes(state);
  const shown = [...rows.filter((row) => !isOver(row)), ...rows.filter(isOver)].slice(0, room - 1);
  const hidden = rows.filter((row) => !shown.includes(row));
  const states = [...Map.groupBy(hidden, ({ state }) => state)].map(([state, { length }]) => `${length} ${state}`);
  return [...shown.map((row) => format(row, columns)), `  and ${states.join(", ")}`.slice(0, columns)];
}

function lineBoard(output: NodeJS.WriteStream): Board {
  const shown = new Map<string, string>();
  return {
    show(rows) {
      for (const row of rows) {
        const now = `${row.state} ${row.detail}`;
        if (shown.get(row.orderId) === now) continue;
        shown.set(row.orderId, now);
        output.write(`${format(row)}\n`);
      }
    },
  };
}

/** One line, cut to the terminal so that redrawing can count rows. */
function format({ orderId, about, state, detail, seconds }: Row, columns = Number.POSITIVE_INFINITY): string {
  const before = `  ${seconds.toFixed(1).padStart(6)} s  ${plainText(orderId).padEnd(28)} `;
  const room = Math.max(0, columns - before.length - STATE_WIDTH - 1);
  const said = ` ${plainText(detail)}`;
  const whole = about ? `${said}  (${about})` : said;
  // What the order is about is shown as a whole, or not at all.
  const after = whole.length <= room ? whole : cut(said, room);
  return `${before}${styleText(colourOfState(state), state.padEnd(STATE_WIDTH))}${after}`;
}

function cut(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, Math.max(0, room - 1))}…`.slice(0, room);
}
