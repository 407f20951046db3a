// P8, P22, P26: only the service's own time ends a wait. A pause is the operator's time, and an outage of the app is the app's.

import { createMemoryPauses } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, describe, expect, test } from "vitest";
import type { BoundedReply } from "../../src/agents/agent.ts";
import type { Workflow } from "../../src/domain/definition/workflow.ts";
import type { Direction, StepRecord } from "../../src/domain/record/state-record.ts";
import { type Attempt, advance, type StepTask, tasksToBegin } from "../../src/domain/steps/attempt.ts";
import { nextPolls } from "../../src/domain/steps/next-polls.ts";
import { loadWorkflows } from "../../src/domain/workflows/workflows.ts";
import type { ReceivedMessage } from "../../src/messaging/messenger.ts";
import { claimJob } from "../../src/scheduler/claim-job.ts";
import { askAgent } from "../../src/scheduler/steps/ask-agent.ts";
import { parseReport } from "../../src/scheduler/steps/completion.ts";
import { pollService } from "../../src/scheduler/steps/poll-service.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { takeReply, takeReport } from "../../src/scheduler/steps/take-reply.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { NOON_MS, sampleJob, sampleRecord } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const within = { completeWithin: "PT10S" };
const SHORT = "PT8M";
const LONG = "P1D";

/** The hotel confirms later: what is not confirmed within that time is compensated. */
const stay = (awaitWithin: string, transport: "activity" | "queue" = "activity"): Workflow => ({
  name: "stay",
  version: 1,
  policy: {
    ...{ failureThreshold: 2, waits: [], onExhausted: "compensate", onRejected: "compensate" },
    onAwaitExpired: "compensate",
  },
  steps: [
    {
      ...{ name: "hotel", agent: "inventory", operation: "reserve", transport, after: [], ...within, awaitWithin },
      compensation: { operation: "release", completeWithin: "PT10S", awaitWithin },
    },
  ],
});

let world: World;
let memory: ReturnType<typeof createMemoryPauses>;
let attempt: Attempt;

beforeEach(() => {
  world = createWorld(NOON_MS);
  memory = createMemoryPauses(world.now);
  const agents = new Map(
    [...world.agents].map(([name, agent]) => [
      name,
      {
        ...agent,
        async call(...asked: Parameters<typeof agent.call>): Promise<BoundedReply> {
          const isPaused = await memory.pauses.isPaused({ kind: "agent", name });
          return isPaused ? { kind: "notTakenUp" } : agent.call(...asked);
        },
      },
    ]),
  );
  Object.assign(world, { agents, presence: memory.presence });
  world.answers.set("reserve", () => ({ kind: "pending", retryAfterMs: MINUTE_MS, reference: "booking 7" }));
});

const record = async () => world.stateOf();
const step = async () => (await record())?.steps["hotel"] as StepRecord;
const pause = () => memory.pauses.pause({ kind: "agent", name: "inventory", by: "ada", reason: "they move house" });
const resume = () => memory.pauses.resume({ kind: "agent", name: "inventory" });

/** The job, with its step begun, which is then awaited. */
async function begun(workflow: Workflow, direction: Direction = "forward"): Promise<void> {
  const facts = [...world.agents].map(([name, { operationNames: operations }]) => {
    return [name, { operations, transports: ["activity", "queue"] }] as const;
  });
  Object.assign(world, { workflows: loadWorkflows(new Map(facts), [workflow]) });
  const fresh = sampleRecord("job-1", workflow);
  const hotel = fresh.steps["hotel"] as StepRecord;
  const done = {
    ...hotel,
    state: "Completed",
    result: {},
    completedIn: 1,
    attempt: 1,
    endedAt: fresh.createdAt,
  } as const;
  await world.store.create(
    sampleJob("job-1"),
    direction === "forward" ? fresh : { ...fresh, direction, steps: { hotel: done } },
  );
  await claimed(1);
  for (const task of tasksToBegin(attempt, new Set())) await run(task);
}

async function run(task: StepTask): Promise<void> {
  if (task.transport === "queue") return void (await askAgent(task, world));
  const { outcome } = await runStep(task, world);
  if (outcome.kind === "completed") attempt = advance(attempt, outcome);
}

async function claimed(number: number): Promise<void> {
  const { direction = "forward" } = (await record()) ?? {};
  const claim = await claimJob({ jobId: "job-1", attempt: number, direction }, world);
  if (claim.kind !== "claimed") throw new Error(claim.kind);
  attempt = claim.attempt;
}

const asked = new Set<string>();

/** Time passes, in half minutes: the supervisor sweeps, the attempt that holds the job polls, another attempt takes it over. */
async function pass(ms: number, { polls = true, sweeps = true } = {}): Promise<void> {
  for (const end = world.clock + ms; world.clock < end; ) {
    world.clock = Math.min(end, world.clock + 30_000);
    const next = polls ? nextPolls(attempt, asked) : undefined;
    if (next && Date.parse(next.at) <= world.clock) {
      for (const poll of next.polls) {
        asked.add(`${poll.step} ${poll.direction} ${poll.pollAt}`);
        const { outcome } = await pollService(poll, world);
        if (outcome.kind === "completed") attempt = advance(attempt, outcome);
      }
    }
    if (sweeps) await sweep(world);
    const now = await record();
    if (now?.processState === "Pending" && now.direction === attempt.direction) await claimed(now.attempt);
    else if (now) attempt = advance(attempt, { kind: "completed", steps: now.steps, hasEnded: false });
  }
}

async function report(body: object) {
  const url = world.calls.findLast(({ completion }) => completion !== undefined)?.completion?.url ?? "";
  const parsed = parseReport(url.slice(url.lastIndexOf("/") + 1), JSON.stringify(body));
  if (parsed.kind !== "valid") throw new Error(parsed.kind);
  return (await takeReport(parsed.report, world)).kind;
}
const DONE = { kind: "done", result: { booking: "H-7" } };
const isOver = async () => (await record())?.error !== null;

beforeEach(() => asked.clear());

describe("an operator pauses the agent", () => {
  test.each([SHORT, LONG])(
    "P26 that is polled, over the end of a wait of %s: it goes on with the time that it had left",
    async (awaitWithin) => {
      await begun(stay(awaitWithin));
      await pass(3 * MINUTE_MS);
      await pause();
      await pass(26 * HOUR_MS);
      expect(await record()).toMatchObject({ processState: "Processing", error: null, failureCount: 0 });
      world.answers.set("reserve", () => ({ kind: "done" }));
      await resume();
      await pass(2 * HOUR_MS);
      expect(await step()).toMatchObject({ state: "Completed" });
      expect(await record()).toMatchObject({ processState: "Processed", failureCount: 0 });
    },
  );

  test("P26 for a while within the wait: the wait lasts longer by that, and not for ever", async () => {
    await begun(stay("PT2H"));
    await pass(HOUR_MS);
    await pause();
    await pass(30 * MINUTE_MS);
    await resume();
    await pass(55 * MINUTE_MS);
    expect(await isOver()).toBe(false);
    await pass(15 * MINUTE_MS);
    expect(await record()).toMatchObject({ direction: "compensate", error: { kind: "expired" } });
  });

  test("P26 whose service reports: the report that comes in the time that is added counts", async () => {
    world.answers.set("reserve", () => ({ kind: "accepted", reference: "booking 7" }));
    await begun(stay("PT2H"));
    await pass(HOUR_MS);
    await pause();
    await pass(3 * HOUR_MS);
    await resume();
    await pass(50 * MINUTE_MS);
    expect(await report(DONE)).toBe("recorded");
    expect(await record()).toMatchObject({ processState: "Processed" });
  });

  test("P26 whose service reports, and it does not: the wait ends once its own time is over", async () => {
    world.answers.set("reserve", () => ({ kind: "accepted" }));
    await begun(stay("PT2H"));
    await pass(HOUR_MS);
    await pause();
    await pass(3 * HOUR_MS);
    await resume();
    await pass(HOUR_MS + 2 * MINUTE_MS);
    expect(await record()).toMatchObject({ direction: "compensate", error: { kind: "expired" } });
  });

  test("P26 while a compensation is awaited: no failure of it is counted", async () => {
    world.answers.set("release", () => ({ kind: "pending", retryAfterMs: MINUTE_MS }));
    await begun(stay(SHORT), "compensate");
    await pause();
    await pass(2 * HOUR_MS);
    expect(await record()).toMatchObject({ processState: "Processing", failureCount: 0 });
    await resume();
    world.answers.set("release", () => ({ kind: "done" }));
    await pass(21 * MINUTE_MS);
    expect(await step()).toMatchObject({ compensation: { state: "Completed" } });
  });

  test("P26 after the wait was over: that is no reason", async () => {
    world.answers.set("reserve", () => ({ kind: "accepted" }));
    await begun(stay(SHORT));
    await pass(8 * MINUTE_MS, { sweeps: false });
    world.clock += 1001;
    await pause();
    world.clock += 1000;
    await sweep(world);
    expect(await record()).toMatchObject({ direction: "compensate" });
  });
});

describe("a poll that is not made", () => {
  test("P16 because the store was away for half a minute: it is made before the wait is over", async () => {
    await begun(stay(SHORT));
    const { state } = world.store;
    await pass(MINUTE_MS / 2);
    // The activity fails, and nobody runs it again.
    world.clock += MINUTE_MS / 2;
    Object.assign(world.store, { state: async () => Promise.reject(new Error("away")) });
    const [poll] = nextPolls(attempt, asked)?.polls ?? [];
    if (!poll) throw new Error("nothing is polled");
    asked.add(`${poll.step} ${poll.direction} ${poll.pollAt}`);
    await expect(pollService(poll, world)).rejects.toThrow("away");
    Object.assign(world.store, { state });
    world.answers.set("reserve", () => ({ kind: "done" }));
    await pass(9 * MINUTE_MS);
    expect(await record()).toMatchObject({ processState: "Processed", failureCount: 0, error: null });
  });

  test("P16 by an attempt that is gone, at the end of a long wait", async () => {
    await begun(stay(LONG));
    await pass(24 * HOUR_MS - 5 * MINUTE_MS);
    await pass(4 * MINUTE_MS, { polls: false });
    world.answers.set("reserve", () => ({ kind: "done" }));
    const due = (await step()).accepted?.pollAt ?? "";
    await pass(2 * MINUTE_MS, { polls: false });
    if (Date.parse(due) < NOON_MS + 24 * HOUR_MS) expect(await isOver()).toBe(false);
    await pass(10 * MINUTE_MS);
    expect(await record()).toMatchObject({ processState: "Processed", failureCount: 0 });
  });

  test("P16 each time: the wait does not last for ever", async () => {
    await begun(stay(SHORT));
    await pass(3 * HOUR_MS, { polls: false });
    expect(await record()).toMatchObject({ direction: "compensate", error: { kind: "expired" } });
  });

  test("P8 a service that was asked at the end of the wait, and is not done, has no more time", async () => {
    await begun(stay(SHORT));
    await pass(9 * MINUTE_MS);
    expect(await record()).toMatchObject({ direction: "compensate", error: { kind: "expired" } });
    expect(world.calls.filter(({ awaited }) => awaited).length).toBeGreaterThan(6);
  });

  test("P8 a service that can't be asked, up to the end of the wait, has no more time", async () => {
    await begun(stay(SHORT));
    const lastError = { endpoint: "http://inventory/", message: "HTTP 503" };
    world.answers.set("reserve", () => ({ kind: "expired", lastError }));
    await pass(9 * MINUTE_MS);
    expect(await record()).toMatchObject({ direction: "compensate", error: { kind: "expired" } });
  });
});

describe("the app is away", () => {
  beforeEach(() => world.answers.set("reserve", () => ({ kind: "accepted" })));

  test("over the end of a wait: the service reports again, and that counts", async () => {
    await begun(stay(LONG));
    await pass(23 * HOUR_MS);
    world.clock += 2 * HOUR_MS;
    await sweep(world);
    expect(await isOver()).toBe(false);
    await pass(5 * MINUTE_MS);
    expect(await report(DONE)).toBe("recorded");
    expect(await record()).toMatchObject({ processState: "Processed", failureCount: 0 });
  });

  test("over the end of a wait, and no report comes: it ends, once", async () => {
    await begun(stay(SHORT));
    world.clock += 30 * MINUTE_MS;
    await sweep(world);
    expect(await isOver()).toBe(false);
    await pass(HOUR_MS);
    expect(await record()).toMatchObject({ direction: "compensate", error: { kind: "expired" } });
    expect((await record())?.history.filter(({ what }) => what.includes("goes on"))).toHaveLength(1);
  });

  test("until shortly before the end, as the leader saw: the service has time to report again", async () => {
    await begun(stay("PT1H"));
    await pass(40 * MINUTE_MS);
    const { due } = world.store;
    Object.assign(world.store, {
      due: () => {
        throw new Error("away");
      },
    });
    for (let sweeps = 0; sweeps < 38; sweeps += 1) {
      world.clock += 30_000;
      await sweep(world).catch(() => undefined);
    }
    Object.assign(world.store, { due });
    await pass(4 * MINUTE_MS);
    expect(await isOver()).toBe(false);
    expect(await report(DONE)).toBe("recorded");
    expect(await record()).toMatchObject({ processState: "Processed" });
  });
});

describe("the app is away twice", () => {
  test("and once more over the end: what is found last counts", async () => {
    world.answers.set("reserve", () => ({ kind: "accepted" }));
    await begun(stay("PT1H"));
    world.absences.failed();
    world.clock += MINUTE_MS;
    world.absences.seen();
    world.clock += 2 * HOUR_MS;
    await sweep(world);
    expect(await isOver()).toBe(false);
    expect(await report(DONE)).toBe("recorded");
  });
});

describe("an agent that is asked over its queue", () => {
  const latest = () => world.requests.at(-1)?.request;
  const reply = (body: object) => takeReply({ ticket: latest()?.ticket, ...body }, world);
  const later = { kind: "pending", retryAfterMs: MINUTE_MS, reference: "booking 7" };

  /** Its reply came into the app's queue at that time. */
  const cameAt = (at: number) => ({ message: { enqueuedAt: new Date(at).toISOString() } as ReceivedMessage });

  test("P8 and whose reply came while the app was away: it was in time, and no failure is counted", async () => {
    await begun(stay("PT1H", "queue"));
    const inTime = world.clock + 5000;
    world.clock += 5 * MINUTE_MS;
    // The supervisor is back before the reply is read.
    await sweep(world);
    expect(await record()).toMatchObject({ processState: "Processing", attempt: 1, failureCount: 0 });
    await takeReply({ ticket: latest()?.ticket, ...DONE }, world, cameAt(inTime));
    expect(await record()).toMatchObject({ processState: "Processed", failureCount: 0 });
  });

  test("P8 and that replies after its complete-by, whenever the reply is read, is late", async () => {
    await begun(stay("PT1H", "queue"));
    const late = world.clock + 2 * MINUTE_MS;
    world.clock += 5 * MINUTE_MS;
    await takeReply({ ticket: latest()?.ticket, ...DONE }, world, cameAt(late));
    expect(await step()).not.toMatchObject({ state: "Completed" });
    await sweep(world);
    await pass(3 * MINUTE_MS);
    expect((await record())?.attempt).toBeGreaterThan(1);
  });

  test("P26 and that is paused over the end of the wait, is asked again, and has the time that it had left", async () => {
    await begun(stay("PT1H", "queue"));
    await reply(later);
    await pause();
    await pass(5 * MINUTE_MS);
    await reply({ kind: "unavailable", message: "it found no place to ask its service" });
    await pass(3 * HOUR_MS);
    expect(await isOver()).toBe(false);
    await resume();
    await pass(50 * MINUTE_MS);
    expect(await isOver()).toBe(false);
    expect(latest()).toMatchObject({ awaited: { reference: "booking 7" } });
    expect(world.requests.length).toBeGreaterThan(3);
    await reply({ kind: "done", result: {} });
    expect(await record()).toMatchObject({ processState: "Processed", failureCount: 0 });
  });

  test("P26 while the app is away over the end, is asked again: its answer may have been lost", async () => {
    await begun(stay("PT1H", "queue"));
    await reply(later);
    world.clock += 2 * HOUR_MS;
    await sweep(world);
    expect(latest()).toMatchObject({ ticket: { round: 3 }, awaited: { reference: "booking 7" } });
    await reply({ kind: "done", result: {} });
    expect(await record()).toMatchObject({ processState: "Processed", failureCount: 0 });
  });

  test("P16 a crash between the request and the record: the same request is sent again", async () => {
    await begun(stay("PT1H", "queue"));
    await reply(later);
    world.clock += 2 * HOUR_MS;
    const { replace } = world.store;
    Object.assign(world.store, { replace: async () => Promise.reject(new Error("away")) });
    await sweep(world);
    const lost = latest();
    Object.assign(world.store, { replace });
    world.clock += 10_000;
    await sweep(world);
    expect(latest()?.ticket).toEqual(lost?.ticket);
    expect(await isOver()).toBe(false);
  });

  test("P16 a crash between the request and the record: the answer to that request counts", async () => {
    await begun(stay("PT1H", "queue"));
    await reply(later);
    world.clock += 2 * HOUR_MS;
    const { replace } = world.store;
    Object.assign(world.store, { replace: async () => Promise.reject(new Error("away")) });
    await sweep(world);
    Object.assign(world.store, { replace });
    await takeReply({ ticket: latest()?.ticket, ...later }, world, cameAt(NOON_MS + MINUTE_MS));
    expect(await step()).toMatchObject({ state: "Awaiting", again: { round: 4 } });
  });

  test("P16 whose answer is not there at the end, is asked once more: its queue may have been away", async () => {
    await begun(stay("PT1H", "queue"));
    await reply(later);
    await pass(HOUR_MS + MINUTE_MS);
    expect(latest()).toMatchObject({ ticket: { round: 3 }, awaited: { reference: "booking 7" } });
    await reply({ kind: "done", result: {} });
    expect(await record()).toMatchObject({ processState: "Processed", failureCount: 0 });
  });

  test("P8 and that never answers: the wait ends after it was asked once more", async () => {
    await begun(stay("PT1H", "queue"));
    await reply(later);
    await pass(HOUR_MS + 12 * MINUTE_MS);
    expect(await record()).toMatchObject({ direction: "compensate", error: { kind: "expired" } });
    expect((await record())?.history.filter(({ what }) => what.includes("goes on"))).toHaveLength(1);
  });

  test("P16 whose word that it does it later waited for the app: the service has time to report again", async () => {
    await begun(stay("PT1H", "queue"));
    const inTime = world.clock + 5000;
    world.clock += 50 * MINUTE_MS;
    await takeReply({ ticket: latest()?.ticket, kind: "accepted" }, world, cameAt(inTime));
    expect(await step()).toMatchObject({ state: "Awaiting" });
    await pass(HOUR_MS + 45 * MINUTE_MS);
    expect(await isOver()).toBe(false);
  });
});
