// Another business takes the place of the sample by shared/ and samples/ alone: here that of the template, in a copy of the sources. The app
// compiles, runs, and the core's tests pass.
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ROOT } from "../../cli/settings.ts";
import { anyPorts, copyRepository } from "../support/repository-copy.ts";

vi.setConfig({ testTimeout: 300_000 });

const copy = copyRepository("second-business");
afterAll(() => copy[Symbol.dispose]());

const SAMPLES = { samples: [{ file: "registration.json", about: "a registration", ends: "Processed" }] };
beforeAll(() => {
  const app = readFileSync(join(copy.folder, "shared/app.ts"));
  for (const part of ["shared", "samples"]) {
    rmSync(join(copy.folder, part), { recursive: true });
    cpSync(join(ROOT, "templates/app", part), join(copy.folder, part), { recursive: true });
  }
  // What every app has as it is: it hands the business to the core.
  writeFileSync(join(copy.folder, "shared/app.ts"), app);
  writeFileSync(join(copy.folder, "samples/samples.json"), JSON.stringify(SAMPLES));
});

test("the two commands write what follows from it: names, settings, parameters and tables", () => {
  expect(copy.run("cli/agents.ts", "--write")).toContain("infra/entities/cosmos.json");
  copy.run("cli/workflows.ts", "--write");
  expect(copy.run("cli/agents.ts", "--check")).toContain("2 agents have what they need");
  const { containers } = JSON.parse(readFileSync(join(copy.folder, "infra/entities/cosmos.json"), "utf8"));
  expect(containers[0]).toMatchObject({ id: "jobs", partitionKey: { paths: ["/registrationId"] } });
  for (const file of globSync("{functions,infra}/**/*.{ts,json,bicep,bicepparam}", {
    cwd: copy.folder,
  })) {
    expect(readFileSync(join(copy.folder, file), "utf8"), file).not.toMatch(/\borderId\b|InventoryEndpoints/);
  }
});

test("it compiles and runs: npm start carries its sample through", () => {
  const out = copy.run("cli/start.ts", "--exit", ...anyPorts());
  expect(out).toContain("Sending 1 sample registrations");
  expect(out).toMatch(/registration-\w+ +Processed +2\/2 steps/);
  expect(out).toContain("All 1 ended as they should.");
});

test("all of the core's tests pass", () => {
  const vitest = (command: string, ...more: string[]) =>
    copy.run("node_modules/vitest/vitest.mjs", command, "--project", "units", ...more);
  const { length } = vitest("list", "--filesOnly").match(/\.test\.ts$/gm) ?? [];
  expect(length).toBeGreaterThan(180);
  expect(vitest("run", "--reporter=dot")).toContain(`Test Files  ${length} passed (${length})`);
});
