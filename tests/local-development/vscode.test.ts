// What .vscode/ names has to be there: tasks, npm scripts, and the line by which it knows that the services are up.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { addressRows, USUAL_PORTS } from "@scheduler-agent-supervisor/local";
import { expect, test } from "vitest";
import { ROOT } from "../../cli/settings.ts";

const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), "utf8"));
const { tasks } = read(".vscode/tasks.json");
const { configurations } = read(".vscode/launch.json");
const settings = read(".vscode/settings.json");
const labels = tasks.map(({ label }: { label: string }) => label);
const scripts = Object.keys(read("package.json").scripts);

test("every task and npm script that is named exists", () => {
  const named = [
    ...configurations.flatMap(({ preLaunchTask = [] }) => preLaunchTask),
    ...tasks.flatMap(({ dependsOn = [] }) => dependsOn),
    settings["azureFunctions.preDeployTask"],
  ];
  expect(named.filter((name) => !labels.includes(name))).toEqual([]);
  expect(named.length).toBeGreaterThan(3);
  const run = tasks.flatMap(({ type, script }: { type: string; script?: string }) => (type === "npm" ? [script] : []));
  expect(run.filter((script: string) => !scripts.includes(script))).toEqual([]);
  const [host, ...more] = configurations.filter(({ runtimeExecutable = "" }) => runtimeExecutable === "npm");
  expect([host.runtimeArgs.slice(0, 4).join(" "), ...more]).toEqual(["run node -- packages/local/dist/host/main.js"]);
});

test("the services count as up by the row that they print last, and not by an earlier line", () => {
  const { background } = tasks.find(({ label }: { label: string }) => label === "services").problemMatcher;
  const { azuriteBlob: blobPort, azuriteQueue: queuePort, azuriteTable: tablePort } = USUAL_PORTS;
  const [row] = addressRows({ name: "azurite", blobPort, queuePort, tablePort, connectionString: "" });
  expect(row?.where).toMatch(new RegExp(background.endsPattern));
  expect("azurite: Azurite Blob service is starting at http://127.0.0.1:10000").not.toMatch(background.endsPattern);
  expect("> node cli/build.ts && node packages/local/dist/services.js").toMatch(new RegExp(background.beginsPattern));
});
