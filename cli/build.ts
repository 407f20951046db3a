// Compiles the packages and the app, with the console, each into a dist/ of its own, which is what runs: here, in the tests and in Azure.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { placeConsole } from "./build/build-console.ts";
import { type CompiledFiles, compileIfChanged } from "./build/compiled-files.ts";
import { readArguments, runCommand } from "./every-app/arguments.ts";
import { isAlive } from "./every-app/stack-file.ts";

const root = join(import.meta.dirname, "..");

/** The app is the last: it stands on the others. */
const PROJECTS = [
  ...["core", "operator", "testing", "local", "client"].map((name) => join(root, "packages", name, "tsconfig.json")),
  join(root, "tsconfig.build.json"),
];

/** The lock file stands for the libraries, whose types the compiler reads. */
const FILES: CompiledFiles = {
  root,
  sources: [
    "{functions,shared,packages/operator/console,packages/*/src,docs/.vitepress/simulator}/**/*",
    "{.,packages/*}/{package,package-lock,tsconfig,tsconfig.build}.json",
    "cli/build*.ts",
    "cli/build/*.ts",
  ],
  results: ["{.,packages/*}/dist/**/*"],
  stamp: join(root, "node_modules/.cache/compiled"),
};

/**
 * Compiles where something has changed since it last did.
 * @throws if the compiler finds faults; it has then printed them.
 */
export function build(): void {
  compileIfChanged(FILES, () => {
    console.log("Compiling");
    compileAll();
  });
}

/**
 * Compiles beside each dist/ and then takes its place, once all have compiled, so that what runs from there finds all of one version, and
 * what has no source any more is gone: the host loads everything in dist/functions. A dist/ of which nothing has changed stays untouched.
 */
export function compileAll(): void {
  removeUnfinished();
  const made = PROJECTS.map((project) => join(dirname(project), `.dist-${process.pid}`));
  try {
    for (const [index, project] of PROJECTS.entries()) compile(project, made[index] ?? "");
    const app = made.at(-1) ?? "";
    // The app compiles against the packages' sources; what runs of them stands in their own folders.
    rmSync(join(app, "packages"), { recursive: true, force: true });
    // The desk serves it, to the operators of any app.
    placeConsole(join(made[1] ?? "", "console"));
    for (const each of made) {
      const dist = join(dirname(each), "dist");
      if (!isSame(each, dist)) replaceDist(each, dist);
    }
  } finally {
    for (const each of made) rmSync(each, { recursive: true, force: true });
  }
}

/** What a build left that was stopped, as by Ctrl-C. */
function removeUnfinished(): void {
  for (const folder of globSync("{.,packages/*}/.dist-*", { cwd: root })) {
    const [, pid = ""] = /\.dist-(\d+)/.exec(folder) ?? [];
    if (!isAlive(Number(pid))) rmSync(join(root, folder), { recursive: true, force: true });
  }
}

function compile(project: string, out: string): void {
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  const args = [compiler, "-p", project, "--outDir", out, "--customConditions", "sources"];
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (status !== 0) throw new Error("the sources do not compile");
}

/** Two renames: deleting takes so long that whoever starts meanwhile would miss files. */
function replaceDist(made: string, dist: string): void {
  const old = `${made}-old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(made, dist);
  rmSync(old, { recursive: true, force: true });
}

function isSame(made: string, other: string): boolean {
  const [files, others] = [filesIn(made), filesIn(other)];
  return (
    files.join() === others.join() &&
    files.every((file) => readFileSync(join(made, file)).equals(readFileSync(join(other, file))))
  );
}

function filesIn(folder: string): string[] {
  return globSync("**/*.*", { cwd: folder }).sort();
}

const USAGE = `npm run build
  compiles the packages, the console and the app, each into a dist/ of its own, if a source has changed since`;

if (import.meta.main)
  await runCommand(async () => {
    readArguments({}, USAGE);
    build();
    return 0;
  });
