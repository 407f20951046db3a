// A planted fault: one change of one function of a source file; and the suites that must fail because of it.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../cli/settings.ts";
import { type Change, changed, programOf } from "./change.ts";

export interface Fault {
  /** The row of the pattern that it breaks. */
  readonly row: string;
  /** What it breaks, in one sentence: its name. */
  readonly breaks: string;
  readonly file: string;
  /** The name that is declared there; `outer.inner` inside another one. */
  readonly place: string;
  readonly change: Change;
  /** Each of them must fail. */
  readonly seenBy: readonly Suite[];
}

export interface Suite {
  readonly file: string;
  /** As vitest's `-t`: only the tests whose name contains it. */
  readonly only?: string;
}

/** A fault as the tables have it: `[what it breaks, "file function", change, suite, …]`; a suite may be `file -t words`. */
export type Row = readonly [breaks: string, where: string, change: Change, ...suites: [string, ...string[]]];

const FOLDERS: Readonly<Record<string, string>> = {
  core: "packages/core/src",
  operations: "packages/core/tests/operations",
  contract: "packages/core/tests/contract",
  operator: "packages/operator/src",
  desk: "packages/operator/tests/operations",
  testing: "packages/testing/src",
};

/** `core:domain/record/plan.ts` is short for `packages/core/src/domain/record/plan.ts`; a path from the root stands as it is. */
function pathOf(short: string): string {
  const [folder = "", rest] = short.split(":");
  return rest === undefined ? short : `${FOLDERS[folder]}/${rest}`;
}

export function faultsOf(row: string, rows: readonly Row[]): Fault[] {
  return rows.map(([breaks, where, change, ...suites]) => {
    const [file = "", place = ""] = where.split(" ");
    const seenBy = suites.map((suite) => {
      const [path = "", only] = suite.split(" -t ");
      return { file: pathOf(path), ...(only !== undefined && { only }) };
    });
    return { row, breaks, file: pathOf(file), place, change, seenBy };
  });
}

/** Why the fault can't be planted or looked for; each names what to adapt in the list. */
export function obstaclesTo(fault: Fault): string[] {
  const { row, breaks, file, seenBy } = fault;
  const named = (what: string) => `${row}, "${breaks}": ${what}`;
  const missing = [file, ...seenBy.map((suite) => suite.file)].filter((path) => !existsSync(join(ROOT, path)));
  if (missing.length > 0) return missing.map((path) => named(`there is no ${path}`));
  try {
    const source = readFileSync(join(ROOT, file), "utf8");
    const put = planted(fault, source);
    programOf(put);
    return put === source ? [named("it changes nothing")] : [];
  } catch (cause) {
    return [named(`in ${fault.place} of ${file}: ${cause instanceof Error ? cause.message : cause}`)];
  }
}

export const planted = ({ place, change }: Fault, source: string): string => changed(source, place, change);
