// A copy of this repository's sources in a folder of its own, for tests that change them and run what comes of that.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { temporaryFolder } from "@scheduler-agent-supervisor/testing/stack";
import { ROOT } from "../../cli/settings.ts";

export interface RepositoryCopy extends Disposable {
  readonly folder: string;
  /** Runs a file of the copy by Node; a command of its own on the packages' sources. Answers what it printed, without colours. @throws where it fails */
  run(file: string, ...args: string[]): string;
}

/** All files that git knows or would take, with the libraries that are here. The packages are the copy's own. */
export function copyRepository(name: string): RepositoryCopy {
  const folder = temporaryFolder(`${name}-`);
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  for (const file of files.split("\n").filter((one) => one !== "")) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  linkModules(folder);
  return {
    folder,
    run: (file, ...args) => {
      const condition = file.endsWith(".ts") ? ["-C", "sources"] : [];
      const out = execFileSync(process.execPath, [...condition, file, ...args], {
        cwd: folder,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      });
      return stripVTControlCharacters(out);
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function linkModules(folder: string): void {
  const own = join(folder, "node_modules/@scheduler-agent-supervisor");
  mkdirSync(own, { recursive: true });
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    // What tools keep there for one repository is not another's.
    if (name === "@scheduler-agent-supervisor" || name.startsWith(".")) continue;
    symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
  }
  const browser = join("tests", "browser", "node_modules");
  if (existsSync(join(ROOT, browser))) symlinkSync(join(ROOT, browser), join(folder, browser));
  for (const name of readdirSync(join(folder, "packages"))) {
    symlinkSync(join(folder, "packages", name), join(own, name));
  }
}

/** Ports of their own for the stack of a copy, as `npm start` takes them; those of 0 need not be known before. */
export function anyPorts(): string[] {
  return ["host", "bus", "bus-admin", "cosmos", "azurite", "remotes", "traces"].map((name) => `--${name}-port=0`);
}
