// The import rules bite: a planted violation of each is found, and what is allowed is not.
import { spawnSync } from "node:child_process";
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const biome = createRequire(import.meta.url).resolve("@biomejs/biome/bin/biome");
/** A file that would stand there, and what it imports. */
type Planted = readonly [file: string, from: string];

/** Lints all of them at once, in a folder of their own under this project's rules. A file has a line for each of its imports. */
function restrictedOf(planted: readonly Planted[]): (file: string, from: string) => boolean {
  const folder = mkdtempSync(join(tmpdir(), "import-rules-"));
  copyFileSync(join(root, "biome.json"), join(folder, "biome.json"));
  const files = Map.groupBy(planted, ([file]) => file);
  for (const [file, imports] of files) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    const lines = imports.map(([, from], at) => `import { x${at} } from "${from}";`);
    writeFileSync(
      join(folder, file),
      `${lines.join("\n")}\n\nexport const y = [${imports.map((_, at) => `x${at}`)}];\n`,
    );
  }
  const args = [biome, "lint", "--vcs-enabled=false", "--only=style/noRestrictedImports", "--max-diagnostics=none"];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  rmSync(folder, { recursive: true, force: true });
  expect(stdout + stderr).toContain(`Checked ${files.size + 1} files`);
  return (file, from) => {
    const line = files.get(file)?.findIndex(([, one]) => one === from) ?? -1;
    expect(line, `${file} importing ${from} was linted`).not.toBe(-1);
    return stderr.replaceAll("\\", "/").includes(`${file}:${line + 1}:`);
  };
}

const CORE = "@scheduler-agent-supervisor/core";
const TESTING = "@scheduler-agent-supervisor/testing";
const OPERATOR = "@scheduler-agent-supervisor/operator";
const LOCAL = "@scheduler-agent-supervisor/local";

const FORBIDDEN: readonly Planted[] = [
  ["packages/core/src/domain/planted.ts", "zod"],
  ["packages/core/src/domain/planted.ts", "node:fs"],
  ["packages/core/src/domain/planted.ts", "../store/order-store.ts"],
  ["packages/core/src/domain/steps/planted.ts", "zod"],
  ["packages/core/src/domain/steps/planted.ts", "../../store/order-store.ts"],
  ["packages/core/src/domain/steps/planted.ts", "../../store.ts"],
  ["packages/core/src/store/planted.ts", "../messaging/messenger.ts"],
  ["packages/core/src/agents/planted.ts", "../store/order-store.ts"],
  ["packages/core/src/messaging/planted.ts", "../agents/agent.ts"],
  ["packages/core/src/scheduler/planted.ts", "../supervisor/sweep.ts"],
  ["packages/core/src/scheduler/planted.ts", "../submission/submit-job.ts"],
  ["packages/core/src/submission/planted.ts", "../supervisor/sweep.ts"],
  ["packages/core/src/supervisor/planted.ts", "../submission/submit-job.ts"],
  ["packages/core/src/store/planted.ts", "../scheduler/ports.ts"],
  ["packages/core/src/agents/planted.ts", "../scheduler/ports.ts"],
  ["packages/core/src/scheduler/planted.ts", "durable-functions"],
  ["packages/core/src/scheduler/planted.ts", "@azure/functions"],
  ["packages/core/src/scheduler/planted.ts", `${LOCAL}/bus`],
  ["packages/core/src/scheduler/planted.ts", TESTING],
  ["packages/core/src/functions/planted.ts", `${OPERATOR}/functions`],
  ["packages/operator/src/operations/planted.ts", TESTING],
  ["packages/operator/src/operations/planted.ts", "@azure/functions"],
  ["packages/operator/src/operations/planted.ts", "../functions/gauges.ts"],
  ["packages/operator/src/domain/planted.ts", "../store/open-jobs.ts"],
  ["packages/operator/src/store/planted.ts", "../operations/traffic.ts"],
  ["packages/operator/src/functions/planted.ts", "../../../../shared/app.ts"],
  ["packages/testing/src/world/planted.ts", `${OPERATOR}/functions`],
  ["packages/core/src/scheduler/planted.ts", "../../../../shared/app.ts"],
  ["packages/core/src/store/planted.ts", "../../../../shared/app.ts"],
  ["packages/core/src/planted.ts", "../../../cli/settings.ts"],
  ["packages/testing/src/world/planted.ts", "../../../../shared/app.ts"],
  ["packages/testing/src/world/planted.ts", `${LOCAL}/bus`],
  ["packages/testing/src/faults/planted.ts", "../../../../shared/app.ts"],
  ["packages/testing/src/faults/planted.ts", LOCAL],
  ["shared/domain/planted.ts", "zod"],
  ["shared/domain/planted.ts", `${CORE}/agents`],
  ["shared/workflows/planted.ts", "../agents/payment.ts"],
  ["shared/workflows/planted.ts", `${CORE}/agents`],
  ["shared/workflows/planted.ts", `${CORE}/domain`],
  ["shared/agents/planted.ts", `${CORE}/store`],
  ["shared/agents/planted.ts", `${CORE}/create-app`],
  ["shared/agents/planted.ts", "../app.ts"],
  ["shared/planted.ts", `${CORE}/scheduling`],
  ["shared/planted.ts", `${CORE}/functions`],
  ["shared/operations/planted.ts", `${CORE}/store`],
  ["shared/operations/planted.ts", "durable-functions"],
  ["shared/operations/planted.ts", `${LOCAL}/bus`],
  ["shared/operations/planted.ts", "../../packages/core/src/domain/content/job.ts"],
  ["packages/client/src/planted.ts", `${CORE}/domain`],
  ["packages/client/src/planted.ts", "../../core/src/domain/job.ts"],
  ["packages/client/src/planted.ts", "node:fs"],
  ["functions/planted.ts", "./submission.ts"],
  ["functions/planted.ts", `${LOCAL}/host`],
  ["functions/planted.ts", `${CORE}/store`],
  ["functions/planted.ts", `${CORE}/create-app`],
  ["templates/app/shared/planted.ts", `${CORE}/scheduling`],
  ["templates/app/tests/planted.test.ts", `${TESTING}/memory`],
  ["templates/app/tools/planted.ts", "../../../packages/local/src/stack/stack.ts"],
  ["functions/planted.ts", "../packages/local/src/host/start.ts"],
  ["packages/core/src/scheduler/scheduler.ts", "node:crypto"],
  ["packages/core/src/scheduler/scheduler.ts", "../app/create-app.ts"],
  ["packages/core/src/scheduler/scheduler.ts", "./ports.ts"],
  ["packages/core/src/scheduler/steps/planted.ts", "../../submission/submit-job.ts"],
  ["packages/core/src/scheduler/steps/planted.ts", "../../functions/submission.ts"],
  ["packages/operator/src/functions/bulk-run.ts", "../app/create-app.ts"],
  ["packages/core/src/functions/planted.ts", "../../../../shared/app.ts"],
  ["packages/operator/console/src/planted.ts", `${CORE}/store`],
  ["packages/operator/console/src/planted.ts", "node:fs"],
  ["packages/local/src/stack/planted.ts", "../../../../shared/app.ts"],
  ["packages/local/src/stack/planted.ts", "../../../../functions/submission.ts"],
  ["packages/local/src/stack/planted.ts", `${CORE}/domain`],
  ["packages/local/src/bus/planted.ts", "../cosmos/start.ts"],
  ["packages/local/src/bus/planted.ts", `${CORE}/domain`],
  ["packages/local/src/host/planted.ts", "../bus/start.ts"],
  ["packages/local/src/traces/planted.ts", "../bus/start.ts"],
  ["cli/planted.ts", "../packages/core/src/domain/content/job.ts"],
];

const ALLOWED: readonly Planted[] = [
  ["packages/core/src/domain/steps/planted.ts", "./attempt.ts"],
  ["packages/core/src/domain/steps/planted.ts", "../record/plan.ts"],
  ["packages/core/src/domain/steps/planted.ts", "../duration.ts"],
  ["packages/core/src/store/planted.ts", "../domain/steps/attempt.ts"],
  ["packages/core/src/scheduler/steps/planted.ts", "../../domain/steps/attempt.ts"],
  ["packages/core/src/scheduler/steps/planted.ts", "../ports.ts"],
  ["packages/core/src/store/planted.ts", "@azure/cosmos"],
  ["packages/core/src/scheduler/planted.ts", "../agents/agent.ts"],
  ["packages/testing/src/world/planted.ts", `${CORE}/scheduling`],
  ["packages/operator/src/domain/planted.ts", `${CORE}/domain`],
  ["shared/domain/planted.ts", `${CORE}/domain`],
  ["shared/workflows/planted.ts", `${CORE}/workflows`],
  ["shared/workflows/planted.ts", "../domain/refund.ts"],
  ["shared/workflows/planted.ts", "../define-workflow.ts"],
  ["shared/agents/planted.ts", `${CORE}/agents`],
  ["shared/agents/planted.test.ts", `${CORE}/store`],
  ["shared/planted.ts", `${CORE}/create-app`],
  ["shared/contracts/planted.ts", `${CORE}/app`],
  ["packages/client/src/planted.ts", "@azure/service-bus"],
  ["packages/client/src/planted.ts", "./order-end.ts"],
  ["packages/core/src/scheduler/scheduler.ts", "durable-functions"],
  ["packages/core/src/functions/planted.ts", "@azure/functions"],
  ["packages/core/src/functions/planted.ts", "../supervisor/sweep.ts"],
  ["packages/core/src/scheduler/scheduler.ts", "../domain/steps/attempt.ts"],
  ["functions/planted.ts", "../shared/app.ts"],
  ["functions/planted.ts", `${CORE}/functions`],
  ["templates/app/shared/planted.ts", `${CORE}/app`],
  ["packages/testing/src/faults/planted.ts", "@azure/functions"],
  ["templates/app/tests/planted.test.ts", TESTING],
  ["templates/app/tools/planted.ts", LOCAL],
  ["packages/operator/console/src/planted.ts", `${OPERATOR}/contract`],
  ["packages/operator/console/src/planted.ts", `${OPERATOR}/domain`],
  ["packages/operator/console/src/planted.ts", "react"],
  ["packages/local/src/bus/planted.ts", "../database/database.ts"],
  ["cli/planted.ts", LOCAL],
];

const restricted = restrictedOf([...FORBIDDEN, ...ALLOWED]);

test.each(FORBIDDEN)("%s may not import %s", (file, from) => expect(restricted(file, from)).toBe(true));

test.each(ALLOWED)("%s may import %s", (file, from) => expect(restricted(file, from)).toBe(false));

test("the app's timers are startTimer's and sleep's: the lint rule knows the global one, and Node's module has it too", () => {
  const files = globSync("{packages/{core,operator}/src,functions,shared}/**/*.ts", { cwd: root });
  expect(files.length).toBeGreaterThan(300);
  const own = files.filter((file) => !file.endsWith(".test.ts"));
  expect(own.filter((file) => readFileSync(join(root, file), "utf8").includes('from "node:timers'))).toEqual([]);
});
