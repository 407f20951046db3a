import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../cli/settings.ts";

/** What each npm script begins with; the words after it are its arguments. Those of libraries have a help of their own. */
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: Record<string, string> };
const OF_LIBRARIES = ["check"];
/** npm runs these itself. */
const OF_NPM = ["install", "prestart", "pretest"];
/** Lets nothing be loaded of a package's `dist`. */
const NO_COMPILED_FILE = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from "node:module";
registerHooks({
  load(url, context, next) {
    if (/packages\\/[a-z]+\\/dist\\//.test(url)) throw new Error("not compiled yet: " + url);
    return next(url, context);
  },
});`)}`;

const BUILD = "node cli/build.ts && ";
const named = Object.entries(scripts).filter(([name]) => ![...OF_LIBRARIES, ...OF_NPM, "node"].includes(name));
/** Of what is rarely typed the page has the files. */
const page = readFileSync(join(ROOT, "docs/reference/commands.md"), "utf8");
const files = [...page.matchAll(/`npm run node -- ([\w/-]+\.ts)/g)].map(([, file = ""]) => file);
const byFile = ["cli/azure-hook.ts", ...files].map((file): [string, string] => [file, `${scripts["node"]} ${file}`]);

describe("every command of this repository tells how it is used, and does nothing else", () => {
  it.for([...named, ...byFile])("%s", ([name, script]) => {
    // As in a fresh clone, where no package is compiled: what does not compile first reads the sources, or needs none of them.
    const isBuilt = script.startsWith(BUILD);
    const [command, ...words] = [...(isBuilt ? script.slice(BUILD.length) : script).split(" "), "--help"];
    expect(command).toBe("node");
    const args = isBuilt ? words : ["--import", NO_COMPILED_FILE, ...words];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });
    expect(`${stderr}${status}`).toBe("0");
    expect(stdout).toContain(name.split(":")[0]);
    // As wide as a terminal of the usual size.
    expect(stdout.split("\n").filter((line) => [...line].length > 80)).toEqual([]);
  });

  it("no script needs a POSIX shell: no variable before a command, and no pipe", () => {
    for (const script of Object.values(scripts)) expect(script).not.toMatch(/(^|&& )[A-Z_]+=|[|;$`]/);
  });

  it("a word or an option that a command does not know is an error with its usage", () => {
    const wrong = (...args: string[]) =>
      spawnSync(process.execPath, ["-C", "sources", ...args], { cwd: ROOT, encoding: "utf8" });
    for (const args of [
      ["cli/reset.ts", "everything"],
      ["cli/send.ts", "--cuont", "3"],
    ]) {
      const { stderr, status } = wrong(...args);
      expect(status).toBe(2);
      expect(stderr).toContain("npm run");
    }
  });
});
