// Writes what functions and host say as one line each, filtered by the levels of host.json.
import { stripVTControlCharacters } from "node:util";

export type LogLevel = "trace" | "debug" | "information" | "warning" | "error" | "critical" | "none";

export interface LogEntry {
  readonly level: LogLevel;
  /** As the real host names it, such as `Function.submission.User` or `Host.Startup`: levels are chosen by its prefix. */
  readonly category: string;
  /** The function, or `host`. */
  readonly source: string;
  readonly message: string;
}

export type Logger = (entry: LogEntry) => void;

const RANK: Readonly<Record<LogLevel, number>> = {
  trace: 0,
  debug: 1,
  information: 2,
  warning: 3,
  error: 4,
  critical: 5,
  none: 6,
};

const LABEL: Readonly<Record<LogLevel, string>> = {
  trace: "trace",
  debug: "debug",
  information: "info ",
  warning: "warn ",
  error: "error",
  critical: "fatal",
  none: "     ",
};

const COLOUR: Readonly<Record<LogLevel, string>> = {
  trace: "\x1b[90m",
  debug: "\x1b[90m",
  information: "",
  warning: "\x1b[33m",
  error: "\x1b[31m",
  critical: "\x1b[31;1m",
  none: "",
};

/** Answers by category whether a level is written, remembering each category's answer. */
export function levelFilter(
  levels: Readonly<Record<string, LogLevel>>,
): (entry: Pick<LogEntry, "level" | "category">) => boolean {
  const known = new Map<string, number>();
  const rankOf = (category: string): number => {
    let prefix = category;
    while (!(prefix in levels) && prefix.includes(".")) prefix = prefix.slice(0, prefix.lastIndexOf("."));
    return RANK[levels[prefix] ?? levels["default"] ?? "information"];
  };
  return ({ level, category }) => {
    let least = known.get(category);
    if (least === undefined) {
      least = rankOf(category);
      known.set(category, least);
    }
    return RANK[level] >= least;
  };
}

/**
 * One line for an entry; with colour its further lines are indented, without it they are joined. So a text that somebody else has written begins no
 * line that looks like an entry, and moves no cursor (CWE-117).
 */
export function formatEntry({ level, source, message }: LogEntry, at: Date, colour: boolean): string {
  const plain = CONTROL.test(message) ? stripVTControlCharacters(message).replace(LINE_ENDS, "\n") : message;
  const text = plain.replace(/\s*\n\s*/g, colour ? "\n  " : " | ").replace(CONTROLS, " ");
  const line = `${timeOf(at)} ${LABEL[level]} ${source}: ${text}`;
  return colour && COLOUR[level] ? `${COLOUR[level]}${line}\x1b[0m` : line;
}

const LINE_ENDS = /\r\n?|[\v\f\u0085\u2028\u2029]/g;
/** C0 but for tab and line feed, C1, the further line ends of Unicode, and the marks that change the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const CONTROLS = new RegExp(CONTROL, "g");

let lastMs = Number.NaN;
let lastTime = "";

/** Many lines are of one millisecond. */
function timeOf(at: Date): string {
  const ms = at.getTime();
  if (ms !== lastMs) {
    lastMs = ms;
    lastTime = at.toISOString().slice(11, 23);
  }
  return lastTime;
}

const FLUSH_AFTER_MS = 30;
const FLUSH_AT_CHARACTERS = 64 * 1024;

/** A writer that gathers lines and hands them over in one piece: at most 30 ms later, or on `flush`. */
export function bufferedWriter(write: (text: string) => void): { line(text: string): void; flush(): void } {
  let waiting = "";
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const text = waiting;
    waiting = "";
    if (text) write(text);
  };
  return {
    line(text) {
      waiting += `${text}\n`;
      if (waiting.length >= FLUSH_AT_CHARACTERS) flush();
      else timer ??= setTimeout(flush, FLUSH_AFTER_MS).unref();
    },
    flush,
  };
}
