// Bundles the commands that every app has into the operators' package, which has them as its bins.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { ROOT } from "./every-app/root.ts";

const COMMANDS = ["agents", "workflows", "services-check", "services-fault", "send", "orders"] as const;
/** In the package of the desk, which the app depends on. */
const OUT = join(ROOT, "packages/operator/commands");
/** What the package's own dependencies bring. Everything else stands in the bundle. */
const BROUGHT = [/^@azure\//, /^@scheduler-agent-supervisor\/core\//, /^zod$/];

/** Nothing in them is of this repository's business: they read that of the app in whose folder npm starts them. */
const inTheAppsFolder: Readonly<Record<string, string>> = {
  [join(ROOT, "cli/every-app/root.ts")]: "export const ROOT = process.cwd();",
  ...Object.fromEntries(
    ["business", "words"].map((name) => [
      join(ROOT, `shared/${name}.ts`),
      `import { pathToFileURL } from "node:url";
const file = pathToFileURL(process.cwd() + "/shared/${name}.ts").href;
export const { ${name} } = await import(file);`,
    ]),
  ),
};

const ofTheApp: Plugin = {
  name: "of-the-app",
  load: (id) => inTheAppsFolder[id] ?? null,
};

/** Takes the place of an earlier bundle. @throws where a command imports what is not there */
export async function buildCommands(out: string = OUT): Promise<void> {
  const faults: string[] = [];
  const build = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(COMMANDS.map((name) => [name, join(ROOT, `cli/${name}.ts`)])),
    platform: "node",
    resolve: { conditionNames: ["sources", "import", "node", "default"] },
    external: BROUGHT,
    plugins: [ofTheApp],
    onLog: (level, { message }) => level === "warn" && faults.push(message),
  });
  rmSync(out, { recursive: true, force: true });
  const banner = ({ isEntry }: { isEntry: boolean }) => (isEntry ? "#!/usr/bin/env node" : "");
  await build
    .write({ dir: out, format: "esm", chunkFileNames: "parts/[name].js", comments: { legal: true }, banner })
    .finally(() => build.close());
  if (faults.length > 0) throw new Error(faults.join("\n"));
}

if (import.meta.main) await buildCommands();
