// The histories that the local stack has stored, as files: of attempts that go on and of those that have ended.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { exportHistories } from "@scheduler-agent-supervisor/local";
import { replayFiles } from "@scheduler-agent-supervisor/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { madeOrder } from "../support/made-order.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const root = mkdtempSync(join(tmpdir(), "histories-"));
let app: TestStack;

beforeAll(async () => {
  app = await startTestStack();
  await app.switchOn("shipping", { kind: "down", match: { orderId: "waits" } });
  await app.switchOn("shipping", { kind: "reject", match: { orderId: "rejected" } });
  for (const orderId of ["ends", "waits", "rejected"])
    await app.shop.send({ ...madeOrder(orderId), workflow: "order-fulfilment" });
  await app.eventually("ends", ({ processState }) => processState === "Processed");
  await app.eventually("rejected", ({ processState }) => processState === "Compensated");
  await app.eventually("waits", ({ steps }) => steps["arrangeShipping"]?.state === "Running");
});

afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

async function exported(idPrefix?: string) {
  const folder = mkdtempSync(join(root, "files-"));
  const host = app.stack.addresses.host?.url ?? "";
  const files = await exportHistories({ host, folder, orchestrator: "scheduler", ...(idPrefix && { idPrefix }) });
  return { folder, names: files.map((file) => basename(file)).sort() };
}

test("each attempt has a file, and today's scheduler goes on with it", async () => {
  const { folder, names } = await exported();
  expect(names).toEqual(["ends-1.json", "rejected-1.json", "rejected-2.json", "waits-1.json"]);
  expect(replayFiles(folder)).toEqual(names.map((file) => ({ file, outcome: { kind: "same" } })));
  const { runtimeStatus } = JSON.parse(readFileSync(join(folder, "waits-1.json"), "utf8"));
  expect(runtimeStatus).toBe("Running");
});

test("those of one order alone", async () => {
  expect((await exported("rejected-")).names).toEqual(["rejected-1.json", "rejected-2.json"]);
});

test("where no host runs the error says so", async () => {
  await expect(exportHistories({ host: "http://127.0.0.1:1", folder: root })).rejects.toThrow("No host answers");
});
