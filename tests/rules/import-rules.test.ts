// The import rules bite: a planted violation of each is found, and what is allowed is not.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const biome = createRequire(import.meta.url).resolve("@biomejs/biome/bin/biome");
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Lints one file that imports `from`, in a folder of its own under this project's rules. */
function restricted(file: string, from: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), "import-rules-"));
  folders.push(folder);
  copyFileSync(join(root, "biome.json"), join(folder, "biome.json"));
  mkdirSync(join(folder, dirname(file)), { recursive: true });
  writeFileSync(join(folder, file), `import { x } from "${from}";\n\nexport const y = x;\n`);
  const args = [biome, "lint", "--vcs-enabled=false", file];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  expect(stdout + stderr).toContain("Checked 1 file");
  return stderr.includes("noRestrictedImports");
}

test.each([
  ["shared/domain/planted.ts", "zod"],
  ["shared/domain/planted.ts", "node:fs"],
  ["shared/domain/planted.ts", "../store/order-store.ts"],
  ["shared/workflows/planted.ts", "../agents/agents.ts"],
  ["shared/store/planted.ts", "../messaging/messenger.ts"],
  ["shared/agents/planted.ts", "../store/order-store.ts"],
  ["shared/messaging/planted.ts", "../agents/agent.ts"],
  ["shared/supervision/planted.ts", "../operations/sweep.ts"],
  ["client/planted.ts", "../shared/domain/order.ts"],
  ["client/planted.ts", "node:fs"],
  ["shared/operations/planted.ts", "durable-functions"],
  ["shared/operations/planted.ts", "@azure/functions"],
  ["shared/operations/planted.ts", "../../local/bus/start.ts"],
  ["functions/planted.ts", "./submission.ts"],
  ["functions/planted.ts", "../local/host/start.ts"],
  ["functions/scheduler.ts", "node:crypto"],
  ["functions/scheduler.ts", "../shared/compose.ts"],
  ["functions/bulk-run.ts", "../shared/compose.ts"],
  ["console/src/planted.ts", "../../shared/domain/order.ts"],
  ["console/src/planted.ts", "node:fs"],
  ["local/stack/planted.ts", "../../shared/config.ts"],
  ["local/stack/planted.ts", "../../functions/submission.ts"],
  ["local/bus/planted.ts", "../cosmos/start.ts"],
  ["local/host/planted.ts", "../bus/start.ts"],
  ["local/traces/planted.ts", "../bus/start.ts"],
])("%s may not import %s", (file, from) => expect(restricted(file, from)).toBe(true));

test.each([
  ["shared/domain/planted.ts", "./attempt.ts"],
  ["shared/store/planted.ts", "../domain/attempt.ts"],
  ["shared/store/planted.ts", "@azure/cosmos"],
  ["shared/workflows/planted.ts", "../domain/workflow.ts"],
  ["client/planted.ts", "@azure/service-bus"],
  ["client/planted.ts", "./order-end.ts"],
  ["functions/scheduler.ts", "durable-functions"],
  ["functions/scheduler.ts", "../shared/domain/attempt.ts"],
  ["functions/planted.ts", "../shared/compose.ts"],
  ["console/src/planted.ts", "../../shared/messaging/console-contract.ts"],
  ["console/src/planted.ts", "../../shared/domain/duration-words.ts"],
  ["console/src/planted.ts", "react"],
  ["local/bus/planted.ts", "../database/database.ts"],
])("%s may import %s", (file, from) => expect(restricted(file, from)).toBe(false));
