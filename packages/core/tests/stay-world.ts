// A job of one step that its service does later, over a store in memory: what waits, while operators pause the agent and the app is away (P8, P22, P26).

import { createMemoryPauses } from "@scheduler-agent-supervisor/testing/memory";
import type { BoundedReply } from "../src/agents/agent.ts";
import type { Workflow } from "../src/domain/definition/workflow.ts";
import type { Direction, StepRecord } from "../src/domain/record/state-record.ts";
import { type Attempt, advance, type StepTask, tasksToBegin } from "../src/domain/steps/attempt.ts";
import { nextPolls } from "../src/domain/steps/next-polls.ts";
import { loadWorkflows } from "../src/domain/workflows/workflows.ts";
import { claimJob } from "../src/scheduler/claim-job.ts";
import { askAgent } from "../src/scheduler/steps/ask-agent.ts";
import { parseReport } from "../src/scheduler/steps/completion.ts";
import { pollService } from "../src/scheduler/steps/poll-service.ts";
import { runStep } from "../src/scheduler/steps/run-step.ts";
import { takeReport } from "../src/scheduler/steps/take-reply.ts";
import { sweep } from "../src/supervisor/sweep.ts";
import { NOON_MS, sampleJob, sampleRecord } from "./jobs.ts";
import { createWorld, type World } from "./world.ts";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
const within = { completeWithin: "PT10S" };
export const SHORT = "PT8M";
export const LONG = "P1D";

/** The hotel confirms later: what is not confirmed within that time is compensated. */
export const stay = (awaitWithin: string, transport: "activity" | "queue" = "activity"): Workflow => ({
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

/** The polls that were made. */
export const asked = new Set<string>();

export let world: World;
let memory: ReturnType<typeof createMemoryPauses>;
export let attempt: Attempt;

/** Before each test: a store without jobs, with an agent that polls. */
export function newStay(): void {
  asked.clear();
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
}

export const record = async () => world.stateOf();
export const step = async () => (await record())?.steps["hotel"] as StepRecord;
export const pause = () =>
  memory.pauses.pause({ kind: "agent", name: "inventory", by: "ada", reason: "they move house" });
export const resume = () => memory.pauses.resume({ kind: "agent", name: "inventory" });

/** The job, with its step begun, which is then awaited. */
export async function begun(workflow: Workflow, direction: Direction = "forward"): Promise<void> {
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

/** Time passes, in half minutes: the supervisor sweeps, the attempt that holds the job polls, another attempt takes it over. */
export async function pass(ms: number, { polls = true, sweeps = true } = {}): Promise<void> {
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

export async function report(body: object) {
  const url = world.calls.findLast(({ completion }) => completion !== undefined)?.completion?.url ?? "";
  const parsed = parseReport(url.slice(url.lastIndexOf("/") + 1), JSON.stringify(body));
  if (parsed.kind !== "valid") throw new Error(parsed.kind);
  return (await takeReport(parsed.report, world)).kind;
}
export const DONE = { kind: "done", result: { booking: "H-7" } };
export const isOver = async () => (await record())?.error !== null;
