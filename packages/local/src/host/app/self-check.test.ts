// The self check: another version is warned of, a missing inner part stops the start.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkLibraries, checkModel } from "./self-check.ts";

const folder = mkdtempSync(join(tmpdir(), "self-check-"));
afterAll(() => rmSync(folder, { recursive: true }));

function install(name: string, version: string, files: Readonly<Record<string, string>> = {}): void {
  const root = join(folder, "node_modules", name);
  for (const [path, text] of Object.entries({ "package.json": JSON.stringify({ name, version }), ...files })) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

test("the libraries of this repository pass", () => {
  const warnings: string[] = [];
  checkLibraries(import.meta.dirname, true, (text) => warnings.push(text));
  expect(warnings).toEqual([]);
});

test("an app that has the libraries inside its own files starts, with a warning for each", () => {
  const bundled = mkdtempSync(join(tmpdir(), "self-check-bundled-"));
  const warnings: string[] = [];
  checkLibraries(bundled, true, (text) => warnings.push(text));
  rmSync(bundled, { recursive: true });
  expect(warnings).toEqual([
    "The app has @azure/functions inside its own files: this host, made for 4.16.5, can't see which version.",
    "The app has durable-functions inside its own files: this host, made for 3.5.0, can't see which version.",
  ]);
});

test("another version is warned of, and a missing inner part is named", () => {
  install("@azure/functions", "4.99.0");
  const warnings: string[] = [];
  checkLibraries(folder, false, (text) => warnings.push(text));
  expect(warnings).toEqual([
    "The app uses @azure/functions 4.99.0; this host is made for 4.16.5 and was not tried with it.",
  ]);
  install("durable-functions", "3.5.0", {
    "lib/src/orchestrations/TaskOrchestrationExecutor.js":
      "exports.TaskOrchestrationExecutor = class { execute() {} processEvent() {} isDoneExecuting() {} addToActions() {} };",
  });
  expect(() => checkLibraries(folder, true, () => undefined)).toThrow(
    /TaskOrchestrationExecutor of durable-functions 3\.5\.0 has no trackOpenTask, actions/,
  );
  const model = { name: "other", version: "9", getCapabilities: async () => ({}) };
  const strange = { ...model, getInvocationModel: () => ({}) } as unknown as Parameters<typeof checkModel>[0];
  expect(() => checkModel(strange)).toThrow("The invocation model of other 9 has no getArguments, invokeFunction");
});
