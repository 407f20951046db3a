// P15: the outbox is cleared of what was sent, and of nothing else: others write the record meanwhile.
import { beforeEach, expect, test, vi } from "vitest";
import { hasEnded, type OutboxMessage, type StateRecord } from "../../src/domain/record/state-record.ts";
import { clearOutbox } from "../../src/scheduler/publishing/publish.ts";
import type { Versioned } from "../../src/store/job-store.ts";
import { NOON, NOON_MS, sampleJob, sampleRecord } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const FAILED: OutboxMessage = { status: "Failed", attempt: 1, at: NOON };
const STEP: OutboxMessage = { status: "StepCompleted", attempt: 1, at: NOON, step: "takePayment" };

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

async function read(): Promise<Versioned> {
  const found = await world.store.state("job-1");
  if (!found) throw new Error("no job");
  return found;
}

/** Sends the messages while another process makes that change. */
async function clearedWhile(change: Partial<StateRecord>): Promise<StateRecord> {
  const record = { ...sampleRecord(), processState: "Error", outbox: [FAILED], dueAt: NOON } as const;
  expect(hasEnded(record.processState)).toBe(true);
  await world.store.create(sampleJob(), record);
  const before = await read();
  const { publish } = world.messenger;
  vi.spyOn(world.messenger, "publish").mockImplementation(async (...sent) => {
    const { record: known, ...at } = await read();
    await world.store.replace({ record: known, ...at }, { ...known, ...change });
    return publish(...sent);
  });
  await clearOutbox(before, world);
  return (await read()).record;
}

test("what was added meanwhile stays owed, with what was sent before it", async () => {
  const left = await clearedWhile({ outbox: [FAILED, STEP] });
  expect(left).toMatchObject({ outbox: [FAILED, STEP], dueAt: NOON });
});

test("a step that was recorded meanwhile stays, and the outbox is cleared", async () => {
  const left = await clearedWhile({ failureCount: 7 });
  expect(left).toMatchObject({ failureCount: 7, outbox: [], published: [FAILED] });
});
