// Where the running stack is: `.local/stack.json` while it runs. Loads nothing of the app, for who only asks it.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./root.ts";

export const DEFAULT_DATA = join(ROOT, ".local");

export type Settings = Readonly<Record<string, string>>;

interface StackFile {
  readonly pid: number;
  readonly settings: Settings;
  /** Where the app answers. */
  readonly app?: string | undefined;
  /** Where each simulated service answers. */
  readonly services?: Settings | undefined;
}

/** As Functions Core Tools has it too. */
const USUAL_APP = "http://localhost:7071";

/** The process that runs a stack on `data`, if there is one. */
export function stackPid(data: string): number | undefined {
  const pid = readStackFile(data)?.pid;
  return pid !== undefined && isAlive(pid) ? pid : undefined;
}

/** For a folder that was named: another stack's ports are not used in place of its own. @throws if no stack runs on `data` */
export function requireStack(data: string): void {
  if (readStackFile(data) === undefined) {
    throw new Error(`No stack runs in ${data}: npm start${data === DEFAULT_DATA ? "" : ` -- --data ${data}`}`);
  }
}

/**
 * What to say where a connection is refused and no stack runs on `data`; any other fault as it is.
 * @param what of the stack was asked for, as in "store"
 */
export function faultWithoutStack(cause: unknown, data: string, what: string): unknown {
  const isAway = cause instanceof Error && /ECONNREFUSED/.test(`${cause.message} ${String(cause.cause ?? "")}`);
  if (!isAway || stackPid(data) !== undefined) return cause;
  return new Error(`No stack runs in ${data}, and no ${what} answers at the usual ports: npm start`, { cause });
}

/** Where the app answers that runs on `data`. */
export const appUrl = (data: string): string => readStackFile(data)?.app ?? USUAL_APP;

export function writeStackFile(
  data: string,
  settings: Settings,
  { app, services }: Pick<StackFile, "app" | "services"> = {},
): void {
  mkdirSync(data, { recursive: true });
  writeFileSync(stackFile(data), JSON.stringify({ pid: process.pid, settings, app, services }, null, 2));
}

export function removeStackFile(data: string): void {
  rmSync(stackFile(data), { force: true });
}

/** Undefined where none runs on `data`. */
export function readStackFile(data: string): StackFile | undefined {
  const file = stackFile(data);
  if (!existsSync(file)) return undefined;
  const stack = JSON.parse(readFileSync(file, "utf8")) as StackFile;
  return isAlive(stack.pid) ? stack : undefined;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const stackFile = (data: string) => join(data, "stack.json");
