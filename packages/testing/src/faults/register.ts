// Preloaded into a host: the app that it loads is probed, without a change to its files. `node --import register.js`
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Tuning } from "@scheduler-agent-supervisor/core/create-app";

const PROBE = new URL("./probe.js", import.meta.url).href;
const CORE = import.meta.resolve("@scheduler-agent-supervisor/core/create-app");
const CREATE_APP = moduleOfCore("app/create-app");
const CLIENT = moduleOfCore("scheduler/scheduler-client");
/** What has died is found within seconds. A host that dies again and again is no fault of the services: no endpoint is given up. */
const TUNING: Tuning = {
  breaker: { failures: 1000 },
  timing: { claimWithinMs: 2000, clockSkewMs: 200, orchestrationsKeptForMs: 60_000 },
};
/** Behind a module's address: itself, not what stands in its place. */
const PLAIN = "?plain";

// No `load`: with one, Node 22 up to 22.21 does not load what a CommonJS module requires in turn.
registerHooks({
  resolve(specifier, context, nextResolve) {
    const found = nextResolve(specifier, context);
    const source = standIn(found.url);
    return source === undefined
      ? found
      : { url: `data:text/javascript,${encodeURIComponent(source)}`, format: "module" };
  },
});

/** Beside the entry, and compiled where that is. */
function moduleOfCore(path: string): string {
  return new URL(path + extname(CORE), CORE).href;
}

/** What is loaded in the place of a module that the points are in. */
function standIn(url: string): string | undefined {
  switch (url) {
    case CREATE_APP:
      return inPlaceOf(url, "probedApp", [
        `const tuning = ${JSON.stringify(TUNING)};`,
        "export const createApp = (business, environment) => probedApp(plain.createApp(business, environment, tuning));",
      ]);
    case CLIENT:
      return inPlaceOf(
        url,
        "probed",
        takersOfTheClient().map(
          (name) => `export const ${name} = (client, ...rest) => plain.${name}(probed("client", client), ...rest);`,
        ),
      );
    default:
      return undefined;
  }
}

/** A module's own names win over those that it exports of another with a star. */
function inPlaceOf(url: string, probe: string, lines: readonly string[]): string {
  const plain = JSON.stringify(`${url}${PLAIN}`);
  return [
    `import * as plain from ${plain};`,
    `export * from ${plain};`,
    `import { ${probe} } from ${JSON.stringify(PROBE)};`,
    ...lines,
  ].join("\n");
}

/** Whatever the module exports that takes the durable client as its first argument: a new one is covered without anybody listing it. */
function takersOfTheClient(): string[] {
  const source = readFileSync(fileURLToPath(CLIENT), "utf8");
  const names = [...source.matchAll(/^export (?:async )?function (\w+)\(client\b/gm)].flatMap(([, name]) => name ?? []);
  if (names.length === 0) throw new Error("scheduler-client.js exports nothing that takes the durable client");
  return names;
}
