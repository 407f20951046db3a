// Erasure over the store in memory: what may be erased, what is left, and who is known to have asked.

import { createMemoryJobStore, type MemoryJobStore } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, expect, test } from "vitest";
import { NOON, NOON_MS } from "../../../core/tests/jobs.ts";
import { createWorld, type World } from "../../../core/tests/world.ts";
import { eraseJob } from "../../src/operations/erase-job.ts";

let store: MemoryJobStore;
let world: World;
beforeEach(() => {
  erased = [];
  store = createMemoryJobStore();
  world = createWorld(NOON_MS, store);
});

/** The jobs whose discarded messages were erased, each while its documents still stood. */
let erased: string[];
const discarded = {
  async eraseOf(jobId: string) {
    if (store.stored(jobId)) erased.push(jobId);
  },
};

const erase = (ifMatch: "any" | string[] = "any") =>
  eraseJob("job-1", "she asked for it", { by: "ada", ifMatch }, { closing: store, discarded }, world);

async function auditLog() {
  const entries: unknown[] = [];
  for await (const entry of world.supervision.entries(NOON.slice(0, 10), "job-1")) entries.push(entry);
  return entries;
}

test("a job that is over is gone with its content, and the audit log says who asked", async () => {
  await world.runAttempt(await world.submitted());
  expect(await erase()).toEqual({ kind: "erased" });
  expect(erased).toEqual(["job-1"]);
  expect(store.stored("job-1")).toBeUndefined();
  await expect(store.job("job-1", 1)).rejects.toThrow("job-1");
  expect(await auditLog()).toMatchObject([
    { operator: "ada", action: "erase", reason: "she asked for it", after: null },
  ]);
  expect(await erase()).toEqual({ kind: "not-found" });
});

test("a job that is under way, or has something to publish, is not erased", async () => {
  await world.submitted();
  expect(await erase()).toMatchObject({ kind: "rejected", reason: expect.stringContaining("not over") });
  world.failing = "Completed";
  await world.submit();
  const [startAttempt] = world.startAttempts;
  await world.runAttempt(startAttempt ?? { jobId: "job-1", attempt: 1, direction: "forward" });
  expect(await erase()).toMatchObject({ kind: "rejected" });
  expect(store.stored("job-1")).toBeDefined();
});

test("at another version than was looked at it stays", async () => {
  await world.runAttempt(await world.submitted());
  expect(await erase(['"1"'])).toMatchObject({ kind: "changed" });
  expect(store.stored("job-1")).toBeDefined();
});

test("where the audit log can't be written nothing is erased", async () => {
  await world.runAttempt(await world.submitted());
  world.supervision.operatorAction = () => Promise.reject(new Error("audit log away"));
  await expect(erase()).rejects.toThrow("audit log away");
  expect(store.stored("job-1")).toBeDefined();
});
