// Lines of sources and of tests by folder, held by `sizes.json`: it prints them, and with `--write` records what has fallen.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import Table from "cli-table3";
import { readArguments, runCommand } from "../../cli/every-app/arguments.ts";

/** Lines, of all files: comments and blank lines count. */
interface Size {
  readonly sources: number;
  readonly tests: number;
}

/** By folder, in the order of their names. A package has a row for each folder of its sources, as `packages/core/domain`, and so has `tests`. */
export type Sizes = Readonly<Record<string, Size>>;

const USAGE = `npm run node -- tests/rules/sizes.ts      lines of sources and of tests by folder
  --write   records in sizes.json what has fallen
  --raise   records what grew too: say why in the commit's message`;

const ROOT = join(import.meta.dirname, "../..");
const RECORDED = join(ROOT, "sizes.json");
const NOTHING: Size = { sources: 0, tests: 0 };

/** What somebody wrote and somebody reads: JSON, pages and pictures are not counted. */
const COUNTED = new Set([".ts", ".tsx", ".cts", ".js", ".cjs", ".mjs", ".css", ".bicep", ".py", ".cs"]);

const isTest = (file: string) => /(^|\/)tests?\/|\.test\.|\/fixtures\//.test(file);

export function folderOf(file: string): string {
  const [top = "", name = "", ...inner] = file.split("/");
  if (name === "") return "(root)";
  if (top === "tests") return inner.length === 0 ? top : `tests/${name}`;
  if (top !== "packages") return top;
  const [part = "", folder = ""] = inner;
  if (part !== "src" || inner.length < 3)
    return `packages/${name}/${inner.length > 1 && part !== "src" ? part : "(root)"}`;
  return `packages/${name}/${folder}`;
}

/** As the working tree has it, with files that are not yet committed. */
export function countedSizes(): Sizes {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
  const sizes = new Map<string, Size>();
  for (const file of new Set(listed.toString().split("\n"))) {
    const path = join(ROOT, file);
    if (!COUNTED.has(extname(file)) || !existsSync(path)) continue;
    const lines = readFileSync(path, "utf8").split("\n").length - 1;
    const { sources, tests } = sizes.get(folderOf(file)) ?? NOTHING;
    const size = isTest(file) ? { sources, tests: tests + lines } : { sources: sources + lines, tests };
    sizes.set(folderOf(file), size);
  }
  return Object.fromEntries([...sizes].sort(([one], [other]) => one.localeCompare(other, "en")));
}

export const recordedSizes = (): Sizes => JSON.parse(readFileSync(RECORDED, "utf8"));

/** A sentence for each number of the record that is not the tree's. */
export function sizeFaults(recorded: Sizes, counted: Sizes): string[] {
  const folders = [...new Set([...Object.keys(recorded), ...Object.keys(counted)])];
  return folders.flatMap((folder) =>
    (["sources", "tests"] as const).flatMap((kind) => {
      const was = recorded[folder]?.[kind] ?? 0;
      const is = counted[folder]?.[kind] ?? 0;
      if (is > was)
        return `${folder} has ${is} lines of ${kind}, sizes.json allows ${was}: make it smaller, or raise the number and say why in the commit's message`;
      if (is < was)
        return `${folder} has ${is} lines of ${kind}, sizes.json still says ${was}: npm run node -- tests/rules/sizes.ts --write`;
      return [];
    }),
  );
}

/** Rows may only fall: a number that grew, or a new folder, stays what it was. */
export function lowered(recorded: Sizes, counted: Sizes): Sizes {
  const lower = (was: Size = NOTHING, is: Size = NOTHING) => ({
    sources: Math.min(was.sources, is.sources),
    tests: Math.min(was.tests, is.tests),
  });
  const rows = Object.keys(recorded).map((folder) => [folder, lower(recorded[folder], counted[folder])] as const);
  return Object.fromEntries(rows.filter(([, { sources, tests }]) => sources + tests > 0));
}

function printed(sizes: Sizes): string {
  const table = new Table({
    head: ["folder", "sources", "tests"],
    colAligns: ["left", "right", "right"],
    style: { head: [], border: [] },
    chars: { mid: "", "left-mid": "", "mid-mid": "", "right-mid": "" },
  });
  for (const [folder, { sources, tests }] of Object.entries(sizes)) table.push([folder, sources, tests]);
  const sum = (kind: keyof Size) => Object.values(sizes).reduce((lines, size) => lines + size[kind], 0);
  table.push(["all", sum("sources"), sum("tests")]);
  return `${table}\n${sum("sources") + sum("tests")} lines`;
}

async function main(): Promise<number> {
  const { values } = readArguments({ write: { type: "boolean" }, raise: { type: "boolean" } }, USAGE);
  const counted = countedSizes();
  if (values["raise"]) writeFileSync(RECORDED, `${JSON.stringify(counted, null, 2)}\n`);
  else if (values["write"]) writeFileSync(RECORDED, `${JSON.stringify(lowered(recordedSizes(), counted), null, 2)}\n`);
  console.log(printed(counted));
  const faults = sizeFaults(recordedSizes(), counted);
  for (const fault of faults) console.error(fault);
  return faults.length > 0 ? 1 : 0;
}

if (import.meta.main) await runCommand(main);
