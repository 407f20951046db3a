// A copy of the compiled app whose ports and scheduler client are probed: the app itself carries no test code.
import { globSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Workflow } from "@scheduler-agent-supervisor/core/domain/workflow";
import { ROOT } from "../../cli/settings.ts";
import { type AdaptedApp, adaptApp } from "./adapted-app.ts";

const CLIENT = "@scheduler-agent-supervisor/core/scheduler-client";
const PROBE = JSON.stringify(pathToFileURL(join(import.meta.dirname, "probe.ts")).href);

export function probeApp(workflows: readonly Workflow[]): AdaptedApp {
  const adapted = adaptApp(workflows);
  const shared = join(adapted.dir, "dist/shared");
  cover(shared, "app", "application", [
    `import { probedPorts } from ${PROBE};`,
    "const { application: own } = plain;",
    "let probed;",
    "const ports = () => (probed ??= probedPorts(own.ports()));",
    "export const application = { ...own, ports, contextOf: (telemetry) => ({ ...ports(), telemetry }) };",
  ]);
  // The functions get the module that covers the core's own. Whatever is exported takes the durable client as its first argument; constants pass.
  const client = readFileSync(join(ROOT, "packages/core/dist/scheduler-client.js"), "utf8");
  const names = [...client.matchAll(/^export (?:async )?function (\w+)\(client\b/gm)].flatMap(([, name]) => name ?? []);
  if (names.length === 0) throw new Error(`${CLIENT} is not what it was`);
  const covering = [
    `import * as plain from "${CLIENT}";`,
    `export * from "${CLIENT}";`,
    `import { probed } from ${PROBE};`,
    ...names.map(
      (name) => `export const ${name} = (client, ...rest) => plain.${name}(probed("client", client), ...rest);`,
    ),
  ];
  writeFileSync(join(shared, "scheduler-client.js"), `${covering.join("\n")}\n`);
  const functions = join(adapted.dir, "dist/functions");
  for (const file of globSync("*.js", { cwd: functions })) {
    const text = readFileSync(join(functions, file), "utf8");
    writeFileSync(join(functions, file), text.replaceAll(`"${CLIENT}"`, '"../shared/scheduler-client.js"'));
  }
  return adapted;
}

/** Puts a module in the place of another, which it imports as `plain`, and exports the one constant anew. */
function cover(folder: string, name: string, replaced: string, lines: readonly string[]): void {
  const file = join(folder, `${name}.js`);
  const text = readFileSync(file, "utf8");
  if (!text.includes(`export const ${replaced} =`)) throw new Error(`${file} is not what it was`);
  renameSync(file, join(folder, `${name}.plain.js`));
  writeFileSync(file, `${[`import * as plain from "./${name}.plain.js";`, ...lines].join("\n")}\n`);
}
