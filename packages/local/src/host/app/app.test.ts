// Loading an app and invoking its functions, without a server.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { InvocationSession } from "../contract.ts";
import type { LogEntry } from "../log.ts";
import { loadApp } from "./app.ts";

const APP = join(import.meta.dirname, "../fixtures/activity-app");
const folder = mkdtempSync(join(tmpdir(), "host-app-"));
afterAll(() => rmSync(folder, { recursive: true }));

const json = (value: unknown) => ({ json: JSON.stringify(value) });

test("an app registers what it has, and its hooks may replace inputs and results", async () => {
  const app = await loadApp(APP);
  expect(app.functions.get("hooked")).toMatchObject({ triggerName: "input", trigger: { type: "activityTrigger" } });
  const { returnValue } = await app.invoke("hooked", { invocationId: "1", inputs: { input: json("original") } });
  expect(returnValue).toEqual(json({ input: "replaced", seen: ["appStart"], before: true }));
});

test("an invocation rejects with what the function threw", async () => {
  const app = await loadApp(APP);
  await expect(app.invoke("throws", { invocationId: "1", inputs: { input: json(1) } })).rejects.toThrow("as asked");
});

test("what a function logs arrives with its name and level; prepare may keep a session open", async () => {
  const entries: LogEntry[] = [];
  const app = await loadApp(APP, { log: (entry) => entries.push(entry) });
  let session: InvocationSession | undefined;
  let late: (() => void) | undefined;
  await app.invoke("logs", {
    invocationId: "1",
    inputs: { input: json(1) },
    prepare: (context, opened) => {
      session = opened;
      late = () => context.log("late");
    },
  });
  expect(entries).toEqual([
    { level: "warning", category: "Function.logs.User", source: "logs", message: "one warning" },
  ]);
  if (session) session.state = "postInvocationHooks";
  late?.();
  expect(entries.map(({ message }) => message)).toEqual(["one warning", "late"]);
});

test("a file that throws while it is imported is named, with the cause", async () => {
  const broken = join(folder, "broken");
  mkdirSync(broken);
  writeFileSync(join(broken, "package.json"), `{"type": "module", "main": "*.js"}`);
  writeFileSync(join(broken, "bad.js"), `throw new Error("no database");`);
  await expect(loadApp(broken)).rejects.toThrow(/bad\.js of the app in .*broken failed.*no database/s);
});

test("an app with a binding that Azure refuses is not loaded", async () => {
  const refused = join(folder, "refused");
  mkdirSync(refused);
  writeFileSync(join(refused, "package.json"), `{"type": "module", "main": "*.js"}`);
  const source = `import { createRequire } from "node:module";
    const { app } = createRequire(${JSON.stringify(join(APP, "package.json"))})("@azure/functions");
    app.http("guarded", { authLevel: "anonymus", handler: () => undefined });`;
  writeFileSync(join(refused, "functions.js"), source);
  await expect(loadApp(refused)).rejects.toThrow('function "guarded": "anonymus" is not an authLevel');
});

test("an app whose main matches nothing is told so", async () => {
  const unbuilt = join(folder, "unbuilt");
  mkdirSync(unbuilt);
  writeFileSync(join(unbuilt, "package.json"), `{"main": "dist/*.js"}`);
  await expect(loadApp(unbuilt)).rejects.toThrow(/matches no file: is the app built/);
});
