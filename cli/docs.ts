// `npm run docs`: serves docs/ as a site with search on this machine, or builds it. Its pages load nothing from elsewhere.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { build } from "./build.ts";
import { installApart } from "./common/install-apart.ts";
import { DOCS } from "./docs/pages.ts";
import { TABLES, writeTables } from "./docs/tables.ts";
import { numberOf, readArguments, runCommand, UsageError } from "./every-app/arguments.ts";
import { ROOT } from "./settings.ts";

const USAGE = `npm run docs [-- OPTIONS]
  --port N      the port (5173)
  --show NAME   prints a table that only the site has: ${Object.keys(TABLES).join(", ")}
  --build       builds the site instead
  --out DIR     the folder of the site, with --build (.site)`;

await runCommand(async () => {
  const options = {
    port: { type: "string" },
    build: { type: "boolean" },
    show: { type: "string" },
    out: { type: "string" },
  } as const;
  const { values } = readArguments(options, USAGE);
  const { show } = values;
  if (show !== undefined) {
    const table = TABLES[String(show)];
    if (!table) throw new UsageError(`There is no table ${show}; there are ${Object.keys(TABLES).join(", ")}`);
    console.log(table.text());
    return 0;
  }
  if (!installApart(DOCS, "what builds the site (docs/package.json)"))
    throw new Error("The site's packages could not be installed: run npm run docs again with a network");
  build();
  writeTables();
  // Loaded here: it brings the builder, which --show does without.
  const { buildSimulator } = await import("./build/build-simulator.ts");
  await buildSimulator(join(DOCS, "public", "simulator"));
  if (values["build"]) {
    const folder = resolve(String(values["out"] ?? join(ROOT, ".site")));
    rmSync(folder, { recursive: true, force: true });
    return vitepress("build", "--outDir", folder);
  }
  const port = numberOf(values, "port", 1, 65_535) ?? 5173;
  return vitepress("dev", "--host", "127.0.0.1", "--port", String(port), "--strictPort");
});

/** A process of its own: its types bring the browser's, which the rest of the repository is checked without. */
async function vitepress(command: string, ...options: string[]): Promise<number> {
  const { resolve: find } = createRequire(join(DOCS, "package.json"));
  const bin = join(dirname(find("vitepress/package.json")), "bin", "vitepress.js");
  // Without the keyboard, of which it would take Ctrl-C for a key of its own.
  const child = spawn(process.execPath, [bin, command, DOCS, ...options], { stdio: ["ignore", "inherit", "inherit"] });
  // Ctrl-C goes to both: this process ends after the other one. It is how a server is stopped, and it cuts a build off.
  let isStopped = false;
  process.on("SIGINT", () => {
    isStopped = true;
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (isStopped) return command === "dev" ? 0 : 130;
  return code ?? 1;
}
