// A copy of the compiled app whose ports and scheduler client are probed: the app itself carries no test code.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Workflow } from "@scheduler-agent-supervisor/core/domain/workflow";
import { type AdaptedApp, adaptApp, copyCore } from "./adapted-app.ts";

const PROBE = JSON.stringify(pathToFileURL(join(import.meta.dirname, "probe.ts")).href);

export function probeApp(workflows: readonly Workflow[]): AdaptedApp {
  const adapted = adaptApp(workflows);
  const shared = join(adapted.dir, "dist/shared");
  if (!readFileSync(join(shared, "app.js"), "utf8").includes("export const application ="))
    throw new Error("app.js is not what it was");
  putInPlace(shared, "app", [
    `import { probedPorts } from ${PROBE};`,
    "const { application: own } = plain;",
    "let probed;",
    "const ports = () => (probed ??= probedPorts(own.ports()));",
    "export const application = { ...own, ports, contextOf: (telemetry) => ({ ...ports(), telemetry }) };",
  ]);
  // Whatever the core's module exports that takes the durable client as its first argument is covered; constants pass.
  const core = copyCore(adapted);
  const client = readFileSync(join(core, "scheduler-client.js"), "utf8");
  const names = [...client.matchAll(/^export (?:async )?function (\w+)\(client\b/gm)].flatMap(([, name]) => name ?? []);
  if (names.length === 0) throw new Error("scheduler-client.js is not what it was");
  putInPlace(core, "scheduler-client", [
    `export * from "./scheduler-client.plain.js";`,
    `import { probed } from ${PROBE};`,
    ...names.map(
      (name) => `export const ${name} = (client, ...rest) => plain.${name}(probed("client", client), ...rest);`,
    ),
  ]);
  return adapted;
}

/** Puts a module in the place of another, which it imports as `plain`. */
function putInPlace(folder: string, name: string, lines: readonly string[]): void {
  const file = join(folder, `${name}.js`);
  renameSync(file, join(folder, `${name}.plain.js`));
  writeFileSync(file, `${[`import * as plain from "./${name}.plain.js";`, ...lines].join("\n")}\n`);
}
