// A planted fault: one text of one source file, replaced; and the suites that must fail because of it.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../cli/settings.ts";

export interface Fault {
  /** The row of the pattern that it breaks. */
  readonly row: string;
  /** What it breaks, in one sentence: its name. */
  readonly breaks: string;
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly text: string;
  readonly put: string;
  /** Each of them must fail. */
  readonly seenBy: readonly Suite[];
}

export interface Suite {
  readonly file: string;
  /** As vitest's `-t`: only the tests whose name contains it. */
  readonly only?: string;
}

/** A fault as the tables have it: `[what it breaks, file, text, what is put in its place, suite, …]`; a suite may be `file -t words`. */
export type Row = readonly [breaks: string, file: string, text: string, put: string, ...suites: [string, ...string[]]];

const FOLDERS: Readonly<Record<string, string>> = {
  core: "packages/core/src",
  operations: "packages/core/tests/operations",
  contract: "packages/core/tests/contract",
  operator: "packages/operator/src",
  testing: "packages/testing/src",
};

/** `core:domain/record/plan.ts` is short for `packages/core/src/domain/record/plan.ts`; a path from the root stands as it is. */
function pathOf(short: string): string {
  const [folder = "", rest] = short.split(":");
  return rest === undefined ? short : `${FOLDERS[folder]}/${rest}`;
}

export function faultsOf(row: string, rows: readonly Row[]): Fault[] {
  return rows.map(([breaks, file, text, put, ...suites]) => ({
    row,
    breaks,
    file: pathOf(file),
    text,
    put,
    seenBy: suites.map((suite) => {
      const [path = "", only] = suite.split(" -t ");
      return { file: pathOf(path), ...(only !== undefined && { only }) };
    }),
  }));
}

/** Why the fault can't be planted or looked for; each names what to adapt in the list. */
export function obstaclesTo(fault: Fault): string[] {
  const { row, breaks, file, text, put, seenBy } = fault;
  const named = (what: string) => `${row}, "${breaks}": ${what}`;
  const missing = [file, ...seenBy.map((suite) => suite.file)].filter((path) => !existsSync(join(ROOT, path)));
  if (missing.length > 0) return missing.map((path) => named(`there is no ${path}`));
  const times = readFileSync(join(ROOT, file), "utf8").split(text).length - 1;
  return [
    ...(times === 1 ? [] : [named(`the text occurs ${times} times in ${file}: ${text}`)]),
    ...(text === put ? [named("the text is replaced by itself")] : []),
  ];
}

export function planted({ text, put, file }: Fault, source: string): string {
  const parts = source.split(text);
  if (parts.length !== 2) throw new Error(`the text occurs ${parts.length - 1} times in ${file}: ${text}`);
  return parts.join(put);
}
