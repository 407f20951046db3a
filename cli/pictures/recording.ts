// Draws what a terminal showed, and when, as an SVG that plays by CSS alone: the same output gives the same file.
import { type Colour, type Piece, Terminal } from "./terminal.ts";

export interface Written {
  readonly atMs: number;
  readonly text: string;
}

export interface RecordingOptions {
  readonly columns: number;
  readonly rows: number;
  readonly title: string;
}

/** What is written within so long of each other shows at once. */
const FRAME_MS = 400;
/** A pause is shown no longer than this: the compiler takes seconds in which nothing happens. */
const PAUSE_MS = 1500;
/** How long the last frame stays before it begins anew. */
const HOLD_MS = 8000;

const CELL_WIDTH = 8.4;
const CELL_HEIGHT = 19;
const MARGIN = 16;
const BAR = 34;

const FILLS: Readonly<Record<Colour, string>> = {
  plain: "#e6edf3",
  red: "#ff7b72",
  green: "#3fb950",
  yellow: "#d29922",
  blue: "#58a6ff",
  magenta: "#bc8cff",
  cyan: "#39c5cf",
  white: "#ffffff",
  gray: "#9198a1",
};

/** One line of the screen from the frame that it came in to the frame that it went in; `to` is absent for what stays. */
interface Span {
  readonly row: number;
  readonly pieces: readonly Piece[];
  readonly from: number;
  to?: number;
}

export function drawRecording(written: readonly Written[], { columns, rows, title }: RecordingOptions): string {
  const { spans, endMs } = spansOf(withoutPauses(written), columns, rows);
  const totalMs = endMs + HOLD_MS;
  const width = Math.ceil(columns * CELL_WIDTH + 2 * MARGIN);
  const height = BAR + rows * CELL_HEIGHT + MARGIN;
  const percent = (ms: number) => `${Number(((100 * ms) / totalMs).toFixed(2))}%`;
  const times = new Map<string, number>();
  const keyframes: string[] = [];
  const lines = spans.map((span) => {
    const key = `${span.from}-${span.to ?? ""}`;
    const known = times.get(key) ?? times.size;
    if (!times.has(key)) {
      times.set(key, known);
      const shown = span.from === 0 ? "0%" : `0%{opacity:0}${percent(span.from)}`;
      const gone = span.to === undefined ? "" : `${percent(span.to)}{opacity:0}`;
      keyframes.push(`@keyframes k${known}{${shown}{opacity:1}${gone}}`, `.t${known}{animation-name:k${known}}`);
    }
    return drawSpan(span, `t${known}${span.to === undefined ? " last" : ""}`);
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">`,
    `<title id="title">${escaped(title)}</title>`,
    "<style>",
    `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}`,
    ...Object.entries(FILLS).map(([colour, fill]) => `.${colour}{fill:${fill}}`),
    // Without motion the last frame shows.
    "g{opacity:0}.last{opacity:1}",
    `@media (prefers-reduced-motion:no-preference){g{animation:${(totalMs / 1000).toFixed(1)}s step-end infinite}}`,
    ...keyframes,
    "</style>",
    `<rect width="${width}" height="${height}" rx="10" fill="#0d1117" stroke="#59636e"/>`,
    ...["#ff5f57", "#febc2e", "#28c840"].map(
      (fill, at) => `<circle cx="${22 + at * 20}" cy="18" r="6" fill="${fill}"/>`,
    ),
    ...lines,
  ].join("\n")}\n</svg>\n`;
}

function withoutPauses(written: readonly Written[]): Written[] {
  let cutMs = 0;
  return written.map(({ atMs, text }, index) => {
    cutMs += Math.max(0, atMs - (written[index - 1]?.atMs ?? 0) - PAUSE_MS);
    return { atMs: atMs - cutMs, text };
  });
}

function spansOf(written: readonly Written[], columns: number, rows: number): { spans: Span[]; endMs: number } {
  const terminal = new Terminal(columns, rows);
  const spans: Span[] = [];
  const open = new Map<number, Span>();
  let endMs = 0;
  const show = (atMs: number) => {
    const screen = terminal.screen();
    for (let row = 0; row < rows; row += 1) {
      const pieces = screen[row] ?? [];
      const before = open.get(row);
      if (before && JSON.stringify(before.pieces) === JSON.stringify(pieces)) continue;
      if (before) before.to = atMs;
      open.delete(row);
      if (pieces.length === 0) continue;
      const span: Span = { row, pieces, from: atMs };
      open.set(row, span);
      spans.push(span);
    }
  };
  for (const [index, { atMs, text }] of written.entries()) {
    terminal.write(text);
    const frame = Math.floor(atMs / FRAME_MS);
    const next = written[index + 1];
    if (next && Math.floor(next.atMs / FRAME_MS) === frame) continue;
    endMs = frame * FRAME_MS;
    show(endMs);
  }
  return { spans, endMs };
}

function drawSpan({ row, pieces }: Span, style: string): string {
  const y = BAR + row * CELL_HEIGHT + 14;
  const texts = pieces.map(({ colour, column, text }) => {
    // Whatever font there is, a piece is as wide as its columns.
    const length = ([...text].length * CELL_WIDTH).toFixed(1);
    const x = (MARGIN + column * CELL_WIDTH).toFixed(1);
    return `<text class="${colour}" x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs">${escaped(text)}</text>`;
  });
  return `<g class="${style}">${texts.join("")}</g>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
