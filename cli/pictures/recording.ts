// Draws what `npm start` showed on a terminal, and when, as an SVG that plays by CSS alone: the same output gives the same file.

export interface Written {
  readonly atMs: number;
  readonly text: string;
}

/** What is written within so long of each other shows at once. */
const FRAME_MS = 400;
/** A pause is shown no longer than this: the compiler takes seconds in which nothing happens. */
const PAUSE_MS = 1500;
/** How long the last frame stays before it begins anew. */
const HOLD_MS = 8000;

/** Of the terminal. */
export const ROWS = 30;
const CELL_WIDTH = 8.4;
const CELL_HEIGHT = 19;
const MARGIN = 16;

/** ECMA-48's "select graphic rendition", of which `npm start` uses these. */
const FILLS: { readonly [code: string]: string } = {
  31: "#ff7b72",
  32: "#3fb950",
  33: "#d29922",
  36: "#39c5cf",
  39: "#e6edf3",
  90: "#9198a1",
};
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape begins with one.
const COLOUR = /\u001b\[(\d+)m/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above. A colour stands in the line that it paints.
const COLOUR_BEFORE_LINE = /(\u001b\[\d+m)\n/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above. The cursor goes up, the rest is cleared, a line ends.
const MOVES = /(\u001b\[\d+A|\u001b\[0J|\n)/;

/** A line of the screen from the frame that it came in to the one that it went in; `to` is absent for what stays. */
interface Span {
  readonly row: number;
  readonly line: string;
  readonly from: number;
  to?: number;
}

export function drawRecording(written: readonly Written[], title: string): string {
  const { spans, endMs } = spansOf(written);
  const totalMs = endMs + HOLD_MS;
  const columns = Math.max(...spans.map(({ line }) => widthOf(line)));
  const width = Math.ceil(columns * CELL_WIDTH + 2 * MARGIN);
  const height = CELL_HEIGHT * ROWS + 2 * MARGIN;
  const percent = (ms: number) => `${Number(((100 * ms) / totalMs).toFixed(2))}%`;
  const times = new Map(spans.map(({ from, to }) => [`t${from}-${to ?? ""}`, { from, to }]));
  const keyframes = [...times].map(([name, { from, to }]) => {
    const shown = from === 0 ? "0%" : `0%{opacity:0}${percent(from)}`;
    const gone = to === undefined ? "" : `${percent(to)}{opacity:0}`;
    return `@keyframes ${name}{${shown}{opacity:1}${gone}}.${name}{animation-name:${name}}`;
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">`,
    `<title id="title">${escaped(title)}</title>`,
    "<style>",
    `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:${FILLS[39]}}`,
    // Without motion the last frame shows.
    "text{opacity:0}.last{opacity:1}",
    `@media (prefers-reduced-motion:no-preference){text{animation:${(totalMs / 1000).toFixed(1)}s step-end infinite}}`,
    ...keyframes,
    "</style>",
    `<rect width="${width}" height="${height}" rx="10" fill="#0d1117" stroke="#59636e"/>`,
    ...spans.map(drawSpan),
  ].join("\n")}\n</svg>\n`;
}

function spansOf(written: readonly Written[]): { spans: Span[]; endMs: number } {
  const spans: Span[] = [];
  let open: Span[] = [];
  let lines = [""];
  let [endMs, shownMs] = [0, 0];
  for (const [index, { text }] of written.entries()) {
    lines = withText(lines, text);
    const next = written[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
    if (next - shownMs < FRAME_MS) continue;
    const at = endMs;
    const before = open;
    // What does not fit has scrolled away.
    open = lines.slice(-ROWS).map((line, row) => {
      const known = before[row];
      return known?.line === line ? known : { row, line, from: at };
    });
    for (const span of before) if (span !== open[span.row]) span.to = at;
    for (const span of open) if (span !== before[span.row] && widthOf(span.line) > 0) spans.push(span);
    if (Number.isFinite(next)) endMs += Math.min(PAUSE_MS, Math.round(next - shownMs));
    shownMs = next;
  }
  return { spans, endMs };
}

/** The cursor goes up to draw lines anew: those below it are cleared. */
function withText(lines: readonly string[], text: string): string[] {
  const screen = [...lines];
  for (const token of text.replaceAll(COLOUR_BEFORE_LINE, "\n$1").split(MOVES)) {
    const up = /\[(\d+)A$/.exec(token)?.[1];
    if (up !== undefined) screen.splice(-1 - Number(up), Number(up));
    else if (token === "\n") screen.push("");
    else if (!token.endsWith("[0J")) screen.push(`${screen.pop()}${token}`);
  }
  return screen;
}

const widthOf = (line: string) => [...line.replaceAll(new RegExp(COLOUR, "g"), "").trimEnd()].length;

function drawSpan({ row, line, from, to }: Span): string {
  // Whatever font there is, a line is as wide as its columns.
  const length = (widthOf(line) * CELL_WIDTH).toFixed(1);
  const [first = "", ...rest] = line.trimEnd().split(COLOUR);
  const painted = rest.map((part, at) =>
    at % 2 === 0 ? `<tspan fill="${FILLS[part] ?? FILLS[39]}">` : `${escaped(part)}</tspan>`,
  );
  const place = `x="${MARGIN}" y="${MARGIN + 14 + row * CELL_HEIGHT}" textLength="${length}" lengthAdjust="spacingAndGlyphs"`;
  return `<text class="t${from}-${to ?? ""}${to === undefined ? " last" : ""}" ${place}>${escaped(first)}${painted.join("")}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
