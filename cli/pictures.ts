// Makes the pictures of README and docs anew, in docs/pictures. Those of the pattern are drawn by hand.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@scheduler-agent-supervisor/testing/stack";
import { takePictures } from "../tests/console/pictures.ts";
import { readArguments, runCommand } from "./every-app/arguments.ts";
import { ROOT } from "./settings.ts";

const USAGE = `npm run node -- cli/pictures.ts
  makes docs/pictures anew: a recording of npm start, and the console and the
  simulator, light and dark`;

const [COLUMNS, ROWS] = [104, 30];
/** What a start says when all its samples have ended. */
const LAST = "The stack stays up";
const WITHIN_MS = 180_000;
/** No terminal is needed: the command takes its output for one of this width. */
const AS_TERMINAL = `data:text/javascript,Object.assign(process.stdout,{isTTY:true,columns:${COLUMNS},rows:${ROWS}})`;
/** What is written within so long of each other shows at once. */
const FRAME_MS = 400;
/** A pause is shown no longer than this: the compiler takes seconds in which nothing happens. */
const PAUSE_MS = 1500;
/** How long the last frame stays before it begins anew. */
const HOLD_MS = 8000;
const [CELL_WIDTH, CELL_HEIGHT, MARGIN] = [8.4, 19, 16];
const TITLE = "npm start: the local stack comes up, and each sample order comes to its end";
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
/** A colour stands in the line that it paints. */
const COLOUR_BEFORE_LINE = new RegExp(`(${COLOUR.source})\n`, "g");
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above. The cursor goes up, the rest is cleared, a line ends.
const MOVES = /(\u001b\[\d+A|\u001b\[0J|\n)/;

interface Frame {
  readonly atMs: number;
  readonly lines: readonly string[];
}

const pictureOf = (name: string) => join(ROOT, "docs/pictures", name);

await runCommand(async () => {
  readArguments({}, USAGE);
  const frames = await record();
  writeFileSync(pictureOf("start.svg"), draw(frames));
  // For who wants no motion: browsers don't ask for it inside a picture.
  writeFileSync(pictureOf("start-still.svg"), draw(frames.slice(-1)));
  await takePictures(pictureOf);
  return 0;
});

/** What a start on a new stack shows until its samples have ended. @throws where they do not, or not in time */
async function record(): Promise<Frame[]> {
  const folder = temporaryFolder("recording-");
  const args = ["-C", "sources", "--import", AS_TERMINAL, join(ROOT, "cli/start.ts"), "--data", ".local"];
  const start = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, FORCE_COLOR: "1" } });
  const timer = setTimeout(() => start.kill("SIGINT"), WITHIN_MS);
  const ended = once(start, "close");
  start.stderr.pipe(process.stderr);
  let screen = ["$ npm start", ""];
  const frames: Frame[] = [{ atMs: 0, lines: screen }];
  let shownMs = performance.now();
  let isOver = false;
  for await (const chunk of start.stdout.setEncoding("utf8")) {
    if (isOver) continue;
    screen = withText(screen, chunk);
    const pauseMs = performance.now() - shownMs;
    const { atMs } = (pauseMs < FRAME_MS ? frames.pop() : undefined) ?? {
      atMs: Math.round((frames.at(-1)?.atMs ?? 0) + Math.min(PAUSE_MS, pauseMs)),
    };
    if (pauseMs >= FRAME_MS) shownMs += pauseMs;
    // What does not fit has scrolled away.
    frames.push({ atMs, lines: screen.slice(-ROWS) });
    isOver = screen.some((line) => line.includes(LAST));
    if (isOver) start.kill("SIGINT");
  }
  const [code] = await ended;
  clearTimeout(timer);
  rmSync(folder, { recursive: true, force: true });
  if (code === 0 && isOver) return frames;
  throw new Error(`npm start ended with exit code ${code} before its samples did:\n${screen.join("\n")}`);
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

/** An SVG that plays by CSS alone: each line shows from the frame that it came in to the one that it went in. */
function draw(frames: readonly Frame[]): string {
  const beginMs = frames[0]?.atMs ?? 0;
  const totalMs = (frames.at(-1)?.atMs ?? 0) - beginMs + HOLD_MS;
  const percent = (ms: number) => `${Number(((100 * (ms - beginMs)) / totalMs).toFixed(2))}%`;
  const keyframes = new Map<string, string>();
  const texts = frames.flatMap(({ atMs, lines }, at) =>
    lines.flatMap((line, row) => {
      if (widthOf(line) === 0 || frames[at - 1]?.lines[row] === line) return [];
      const end = frames.slice(at).find((later) => later.lines[row] !== line)?.atMs;
      const name = `t${atMs}-${end ?? ""}`;
      const shown = at === 0 ? "0%" : `0%{opacity:0}${percent(atMs)}`;
      const gone = end === undefined ? "" : `${percent(end)}{opacity:0}`;
      keyframes.set(name, `@keyframes ${name}{${shown}{opacity:1}${gone}}.${name}{animation-name:${name}}`);
      return [drawLine(line, row, end === undefined ? `${name} last` : name)];
    }),
  );
  const width = Math.ceil(COLUMNS * CELL_WIDTH + 2 * MARGIN);
  const height = CELL_HEIGHT * ROWS + 2 * MARGIN;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">`,
    `<title id="title">${escaped(TITLE)}</title>`,
    "<style>",
    `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:${FILLS[39]}}`,
    // Without motion the last frame shows.
    "text{opacity:0}.last{opacity:1}",
    `@media (prefers-reduced-motion:no-preference){text{animation:${(totalMs / 1000).toFixed(1)}s step-end infinite}}`,
    ...keyframes.values(),
    "</style>",
    `<rect width="${width}" height="${height}" rx="10" fill="#0d1117" stroke="#59636e"/>`,
    ...texts,
  ].join("\n")}\n</svg>\n`;
}

function widthOf(line: string): number {
  return [...line.replaceAll(new RegExp(COLOUR, "g"), "").trimEnd()].length;
}

function drawLine(line: string, row: number, classes: string): string {
  const [first = "", ...rest] = line.trimEnd().split(COLOUR);
  const painted = rest.map((part, at) =>
    at % 2 === 0 ? `<tspan fill="${FILLS[part] ?? FILLS[39]}">` : `${escaped(part)}</tspan>`,
  );
  // Whatever font there is, a line is as wide as its columns.
  const place = `x="${MARGIN}" y="${MARGIN + 14 + row * CELL_HEIGHT}" textLength="${(widthOf(line) * CELL_WIDTH).toFixed(1)}"`;
  return `<text class="${classes}" ${place} lengthAdjust="spacingAndGlyphs">${escaped(first)}${painted.join("")}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
