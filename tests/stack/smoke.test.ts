// `npm run node -- cli/smoke.ts` against the local stack, as a process of its own: it ends well, and where it can't it says what is missing.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { PART_NAMES } from "@scheduler-agent-supervisor/local";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeStackFile } from "../../cli/every-app/stack-file.ts";
import { ROOT } from "../../cli/settings.ts";
import { type AdaptedApp, adaptApp } from "../support/adapted-app.ts";
import { CHAIN, GRAPH } from "../support/orders.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

/** One that needs a service: where that rejects, the order's end says so. */
const CHECKED: Workflow = {
  name: "checked",
  version: 1,
  policy: { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "fail" },
  steps: [
    { name: "check", agent: "fraud", operation: "check", after: [], completeWithin: "PT10S", compensation: "nothing" },
  ],
};

const data = mkdtempSync(join(tmpdir(), "smoke-"));
let adapted: AdaptedApp;
let app: TestStack;
beforeAll(async () => {
  adapted = adaptApp([CHAIN, GRAPH, CHECKED]);
  app = await startTestStack({ appDir: adapted.dir, data, parts: PART_NAMES });
  writeStackFile(data, app.settings);
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  adapted?.[Symbol.dispose]();
  rmSync(data, { recursive: true, force: true });
});

async function smoke(folder: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ["-C", "sources", join(ROOT, "cli/smoke.ts"), "--data", folder, ...args]);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += String(chunk);
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, output };
}

test("an order goes through, and its telemetry arrived", async () => {
  const { code, output } = await smoke(data);
  expect(output).toMatch(/smoke-\w+: Completed after [\d.]+ s\nTelemetry of it has arrived\./);
  expect(code).toBe(0);
  const [orderId = ""] = /smoke-\w+/.exec(output) ?? [];
  expect(await app.eventually(orderId, ({ processState }) => processState === "Processed")).toMatchObject({
    workflow: { name: "smoke" },
  });
  for (const service of Object.keys(app.stack.addresses.remotes)) expect(await app.effects(service)).toEqual([]);
});

test("a workflow that the app does not have: its rejection is reported", async () => {
  const { code, output } = await smoke(data, "--workflow", "nowhere", "--within", "5");
  expect(output).toContain("was rejected");
  expect(output).toContain("workflow");
  expect(code).toBe(1);
});

test("a service that rejects: the order's own end is reported", async () => {
  await app.switchOn("fraud", {
    kind: "reject",
    status: 422,
    code: "no-such-customer",
    message: "no such customer",
    calls: 1,
  });
  const { code, output } = await smoke(data, "--workflow", "checked");
  expect(output).toMatch(/smoke-\w+: failed: .*no such customer/);
  expect(code).toBe(1);
});

test("telemetry goes nowhere: the role and the settings are named", async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), "smoke-"));
  try {
    writeStackFile(elsewhere, app.settings);
    const { code, output } = await smoke(elsewhere);
    expect(output).toContain("Completed after");
    expect(output).toContain("Monitoring Metrics Publisher");
    expect(code).toBe(1);
  } finally {
    rmSync(elsewhere, { recursive: true, force: true });
  }
});

test("no host runs: the order waits in its queue, and the functions' role is named", async () => {
  await app.stack.kill("host");
  try {
    const { code, output } = await smoke(data, "--within", "3");
    expect(output).toContain("It waits in the queue jobs");
    expect(output).toContain("Data Owner on the queue");
    expect(code).toBe(1);
  } finally {
    await app.stack.restart("host");
  }
});
