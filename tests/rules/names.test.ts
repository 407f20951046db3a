// One exported name, one idea: no two declarations of a package are exported under one name. By the compiler's own symbols, so whoever only passes a name on declares none.
import { join } from "node:path";
import { API, SymbolFlags } from "typescript/unstable/sync";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const PROJECTS = ["tsconfig.json", "packages/operator/console/tsconfig.json"].map((file) => join(ROOT, file));

/** Undefined for tests, and for what is not a package's own. */
function packageOf(file: string): string | undefined {
  const [, name, path = ""] = /\/packages\/(\w+)\/(.*)$/.exec(file) ?? [];
  return /\.test\.tsx?$|(^|\/)(fixtures|tests|dist)\//.test(path) ? undefined : name;
}

/** The places that declare each exported name of a package, by `package name`. */
function declarations(): Map<string, Set<string>> {
  const places = new Map<string, Set<string>>();
  const api = new API({ cwd: ROOT });
  for (const { program, checker } of api.updateSnapshot({ openProjects: PROJECTS }).getProjects())
    for (const file of program.getSourceFileNames()) {
      const owner = packageOf(file);
      const source = owner === undefined ? undefined : program.getSourceFile(file);
      const module = source && checker.getSymbolAtLocation(source);
      for (const symbol of module ? checker.getExportsOfModule(module) : []) {
        const { declarations: own } = symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
        const name = `${owner} ${symbol.name}`;
        for (const { path } of own)
          if (packageOf(path) === owner)
            places.set(name, (places.get(name) ?? new Set()).add(path.slice(ROOT.length + 1)));
      }
    }
  api.close();
  return places;
}

test("no exported name of a package stands for two things", () => {
  const places = declarations();
  expect(places.size).toBeGreaterThan(1000);
  const twice = [...places].filter(([, files]) => files.size > 1);
  expect(twice.map(([name, files]) => `${name}: ${[...files].sort().join(", ")}`).sort()).toEqual([]);
});
