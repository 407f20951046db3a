// An exception in any function leaves as a record of its own, with the function's name: the host, which would send one, leaves that
// to a worker that exports by OpenTelemetry. The functions are those that the app registers, so that a new one is tested too.
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type LoadedApp,
  loadApp,
  type RegisteredFunction,
  type TypedData,
} from "@scheduler-agent-supervisor/local/host";
import { type LogEvent, openTraces, type RunningTraces, startTraces } from "@scheduler-agent-supervisor/local/traces";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type AdaptedApp, adaptApp, copyPackages } from "../support/adapted-app.ts";
import { CHAIN, GRAPH } from "../support/orders.ts";

const PLANTED = "the store has burnt down";
const TRACE = "0af7651916cd43dd8448eb211c80319c";

const folder = mkdtempSync(join(tmpdir(), "exceptions-"));
let adapted: AdaptedApp;
let collector: RunningTraces;
let app: LoadedApp;
beforeAll(async () => {
  collector = await startTraces({ port: 0, data: folder });
  // With others the app does not start.
  for (const [name, value] of Object.entries(sampleSettings())) vi.stubEnv(name, value);
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint);
  vi.stubEnv("OTEL_BSP_SCHEDULE_DELAY", "50");
  // Exceptions are no traces: they leave whatever part of those is kept.
  vi.stubEnv("OTEL_TRACES_SAMPLER_ARG", "0.0001");
  adapted = adaptApp([CHAIN, GRAPH]);
  throwEverywhere(adapted);
  app = await loadApp(adapted.dir);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await collector?.close();
  adapted?.[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

function sampleSettings(): Record<string, string> {
  const sample = readFileSync(join(import.meta.dirname, "../../local.settings.sample.json"), "utf8");
  return (JSON.parse(sample) as { Values: Record<string, string> }).Values;
}

/** Every port that a function asks for is broken. */
function throwEverywhere(adapted: AdaptedApp): void {
  const { dir } = adapted;
  // The copy has no sources, and the test runner would say so of each file.
  for (const path of globSync("dist/**/*.js", { cwd: dir }))
    writeFileSync(join(dir, path), readFileSync(join(dir, path), "utf8").replace(/^\/\/# sourceMappingURL.*$/m, ""));
  const app = join(dir, "dist/shared/app.js");
  const text = readFileSync(app, "utf8");
  if (!text.includes("export const application =")) throw new Error(`${app} is not what it was`);
  // The app starts, and its functions are registered: what is broken is found later.
  const broken = `
    const broken = () => { throw new RangeError(${JSON.stringify(PLANTED)}); };
    const whole = (name, value) => typeof value !== "function" || name === "startFaults";
    export const application = Object.fromEntries(
      Object.entries(own).map(([name, value]) => [name, whole(name, value) ? value : broken]),
    );`;
  writeFileSync(app, `${text.replace("export const application =", "const own =")}${broken}`);
  // The console asks for no port: it hands out files.
  breakModule(join(copyPackages(adapted), "operator/dist/functions/console-files.js"));
}

/** Every function that the module exports throws. */
function breakModule(file: string): void {
  const text = readFileSync(file, "utf8");
  const names = [...text.matchAll(/^export function (\w+)\(/gm)].map(([, name = ""]) => name);
  if (names.length === 0) throw new Error(`${file} is not what it was`);
  const broken = names.map((name) => `export function ${name}() { throw new RangeError(${JSON.stringify(PLANTED)}); }`);
  writeFileSync(file, broken.join("\n"));
}

/** Orchestrations ask for no port either: their own code throws, at an input that is none. */
const ORCHESTRATIONS = ["scheduler", "bulkRun"];

const json = (value: unknown): TypedData => ({ json: JSON.stringify(value) });

/** As the host hands it over; what is in it does not matter, for nobody gets to look. */
function inputOf({ trigger }: RegisteredFunction): TypedData {
  switch (trigger.type.toLowerCase()) {
    case "httptrigger": {
      const url = "http://127.0.0.1/api/any";
      return { http: { method: "GET", url, headers: {}, query: {}, params: {}, identities: [], rawBody: undefined } };
    }
    case "activitytrigger":
      return json({ orderId: "o-1", attempt: 1, step: "any", reply: {} });
    case "orchestrationtrigger": {
      const history = [{ EventType: 12, EventId: -1, IsPlayed: false, Timestamp: new Date().toISOString() }];
      return { string: JSON.stringify({ history, input: "{", instanceId: "o-1-1", isReplaying: false }) };
    }
    default:
      return json({});
  }
}

function recorded(): LogEvent[] {
  const reader = openTraces(folder);
  try {
    return reader?.eventsNamed("exception") ?? [];
  } finally {
    reader?.close();
  }
}

test("an exception in each function that the app registers leaves, once, and says whose it is", async () => {
  const names = [...app.functions.keys()];
  expect(names.length).toBeGreaterThan(25);
  for (const [name, registered] of app.functions) {
    const inputs = { [registered.triggerName]: inputOf(registered) };
    const invocation = { invocationId: `of-${name}`, inputs, traceParent: `00-${TRACE}-${"a".repeat(16)}-01` };
    await expect(app.invoke(name, invocation), name).rejects.toBeDefined();
  }
  const own = () =>
    recorded()
      .map(({ attributes }) => attributes["faas.name"])
      .sort();
  await expect.poll(own).toEqual(names.sort());
  for (const { attributes, severity, traceId } of recorded()) {
    const name = String(attributes["faas.name"]);
    expect(severity).toBe("error");
    expect(traceId, name).toBe(TRACE);
    expect(attributes["faas.invocation_id"]).toBe(`of-${name}`);
    if (ORCHESTRATIONS.includes(name)) continue;
    expect(attributes, name).toMatchObject({ "exception.type": "RangeError", "exception.message": PLANTED });
    expect(String(attributes["exception.stacktrace"]), name).toContain(
      name === "console" ? "console-files.js" : "app.js",
    );
  }
});
