// P15: a next attempt is announced by the record itself. Whoever starts the attempt sends that before it, and no write says that it was sent.
import { beforeEach, expect, test, vi } from "vitest";
import { operateJob } from "../../src/scheduler/operating/operate-job.ts";
import { publishOrKeep } from "../../src/scheduler/publishing/publish.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { NOON_MS } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const ada = { by: "ada", ifMatch: "any" } as const;
const PENDING = { processState: "Pending", attempt: 2, retryScheduled: { attempt: 2 }, outbox: [] };

let world: World;
beforeEach(async () => {
  world = createWorld(NOON_MS);
  world.answers.set("reserve", () => ({ kind: "expired" }));
  await world.runAttempt(await world.submitted());
  world.answers.delete("reserve");
  world.statuses.splice(0);
});

async function sweepWhenDue() {
  world.clock = Date.parse((await world.stateOf())?.dueAt ?? "") + 5000;
  return sweep(world);
}

/** The supervisor's process dies when it has written the record, before it sends anything. */
async function writtenAlone() {
  world.failing = "RetryScheduled";
  expect(await sweepWhenDue()).toMatchObject({ found: 1, broken: 1 });
  world.failing = undefined;
  expect(await world.stateOf()).toMatchObject(PENDING);
  expect([world.statuses, world.startAttempts]).toEqual([[], []]);
}

const subjects = () => world.statuses.map(({ status, attempt }) => `${attempt} ${status}`);

test("a supervisor that died behind its write: the next sweep sends it, then asks for the attempt", async () => {
  await writtenAlone();
  expect(await sweepWhenDue()).toMatchObject({ startsRepeated: 1 });
  expect(subjects()).toEqual(["2 RetryScheduled"]);
  expect(world.startAttempts.at(-1)).toMatchObject({ attempt: 2 });
  expect(await world.stateOf()).toMatchObject(PENDING);
});

test("what is sent of the job before that goes behind it", async () => {
  await writtenAlone();
  const record = await world.stateOf();
  const stored = record && (await world.store.state(record.jobId));
  if (!stored) throw new Error("there is no job");
  const completed = { status: "StepCompleted", attempt: 1, at: record.updatedAt, step: "check" } as const;
  await publishOrKeep(stored, [completed], world);
  expect(subjects()).toEqual(["2 RetryScheduled", "1 StepCompleted"]);
});

test.each([
  ["compensate", ["2 RetryScheduled"]],
  ["resubmit", ["2 RetryScheduled", "3 RetryScheduled"]],
] as const)("an operator who asks to %s it then: it is owed before what comes next", async (kind, expected) => {
  await writtenAlone();
  await operateJob("job-1", { kind, reason: "now", job: null, compensatedManually: false }, ada, world);
  expect(subjects()).toEqual(expected);
});

test("an attempt that holds the job owes it no more, and one that is not announced does not repeat an earlier one", async () => {
  await sweepWhenDue();
  const [startAttempt] = world.startAttempts.slice(-1);
  if (!startAttempt) throw new Error("nothing was started");
  const publish = vi.spyOn(world.messenger, "publish");
  world.answers.set("authorize", () => ({ kind: "rejected", message: "card expired" }));
  await world.runAttempt(startAttempt);
  const sent = publish.mock.calls.flatMap(([, messages]) => messages.map(({ status }) => status));
  expect(sent).not.toContain("RetryScheduled");
  world.statuses.splice(0);
  await operateJob("job-1", { kind: "compensate", reason: "too late" }, ada, world);
  expect(world.startAttempts.at(-1)).toMatchObject({ attempt: 3 });
  expect(subjects().filter((subject) => subject.includes("RetryScheduled"))).toEqual([]);
});
