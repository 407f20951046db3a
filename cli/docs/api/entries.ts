// The public entries of the packages: what their package.json exports under a name of its own, or as a function of the app.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../settings.ts";
import { type Declaration, exportsOf } from "./declarations.ts";

export interface Entry {
  /** As in `core/agents`: the package without its scope. */
  readonly name: string;
  /** The sentence that the module begins with. */
  readonly about: string;
  readonly source: string;
  /** Exported name → declaration, in the order of the module. */
  readonly exported: ReadonlyMap<string, Declaration>;
}

interface Target {
  readonly sources: string;
  /** Absent: open to this repository alone. */
  readonly types?: string;
}

/** What the desk and the test kit are built on: no app imports it, and it may change with any release. */
const BELOW_THE_PACKAGES: ReadonlySet<string> = new Set(
  "domain store messaging submission scheduling supervision telemetry composition hosting"
    .split(" ")
    .map((entry) => `core/${entry}`),
);

const PACKAGES = ["core", "operator", "testing", "client", "local"] as const;

/** All entries. The packages have to be compiled: `build` of cli/build.ts. */
export function entries(): Entry[] {
  return PACKAGES.flatMap((name) => {
    const { exports } = JSON.parse(readFileSync(join(ROOT, "packages", name, "package.json"), "utf8")) as {
      readonly exports: { readonly [path: string]: Target };
    };
    // A pattern stands for modules that no README names.
    return Object.entries(exports).flatMap(([path, { sources, types }]) => {
      if (!types || path.includes("*") || BELOW_THE_PACKAGES.has(`${name}${path.slice(1)}`)) return [];
      const source = `packages/${name}/${sources.slice(2)}`;
      const file = join(ROOT, "packages", name, types);
      return [{ name: `${name}${path.slice(1)}`, about: aboutOf(source), source, exported: exportsOf(file) }];
    });
  });
}

function aboutOf(source: string): string {
  const comment = /^(?:\/\/ .*\n)+/.exec(readFileSync(join(ROOT, source), "utf8"))?.[0] ?? "";
  const text = comment.replaceAll(/^\/\/ /gm, "").trim();
  const about = text.replace(/^Public entry `[^`]+`: /, "");
  return about.charAt(0).toUpperCase() + about.slice(1);
}
