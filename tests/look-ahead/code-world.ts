// A world for a workflow as code: the record in the kit's store in memory, the scheduler's and the supervisor's own decisions, and services that
// count their effects by key. Whoever drives the job has no memory but the record, and may die before and after each call.

import type { Job } from "@scheduler-agent-supervisor/core/internal/domain/content/job";
import { policyFor, type Workflow } from "@scheduler-agent-supervisor/core/internal/domain/definition/workflow";
import { after, durationMs, instant } from "@scheduler-agent-supervisor/core/internal/domain/duration";
import { applyChanges } from "@scheduler-agent-supervisor/core/internal/domain/record/apply-changes";
import { timesOf } from "@scheduler-agent-supervisor/core/internal/domain/record/due";
import { idempotencyKey } from "@scheduler-agent-supervisor/core/internal/domain/record/idempotency-key";
import { newStateRecord } from "@scheduler-agent-supervisor/core/internal/domain/record/new-state-record";
import {
  directionOf,
  isWholeDone,
  planOf,
  readySteps,
  runOf,
  runsInHand,
} from "@scheduler-agent-supervisor/core/internal/domain/record/plan";
import {
  hasEnded,
  type StateRecord,
  type StepResult,
} from "@scheduler-agent-supervisor/core/internal/domain/record/state-record";
import {
  decideRecovery,
  overdueStep,
  recover,
} from "@scheduler-agent-supervisor/core/internal/domain/recovery/recovery";
import type { StepTask } from "@scheduler-agent-supervisor/core/internal/domain/steps/attempt";
import { toSchedule } from "@scheduler-agent-supervisor/core/internal/domain/steps/attempt";
import { endingOf } from "@scheduler-agent-supervisor/core/internal/domain/steps/ending";
import type { Answer } from "@scheduler-agent-supervisor/core/internal/domain/steps/step-answer";
import { afterStep, takenAmong } from "@scheduler-agent-supervisor/core/internal/domain/steps/step-end";
import { accepted, scheduled } from "@scheduler-agent-supervisor/core/internal/domain/steps/step-run";
import { claim, concluding } from "@scheduler-agent-supervisor/core/internal/domain/steps/transitions";
import type { Versioned } from "@scheduler-agent-supervisor/core/internal/store/job-store";
import { createMemoryJobStore } from "@scheduler-agent-supervisor/testing/internal/memory/memory-job-store";
import { type Code, catches, replay, withCatch, withSteps } from "./workflow-as-code.ts";

export type Reply =
  | { readonly kind: "done"; readonly result: StepResult }
  | { readonly kind: "rejected"; readonly message: string }
  | { readonly kind: "accepted" };
export type Services = (operation: string, step: string) => Reply;

export class Died extends Error {}

const SCHEDULING = { unrecordedMs: 2000, nonce: () => "nonce" };
const CLAIM_WITHIN_MS = 60_000;
const HOLDER = "driver";
const ROUTE = { endpoint: "http://127.0.0.1/", because: "the only one" };
const BASE = {
  name: "loan",
  version: 1,
  policy: { failureThreshold: 2, waits: [], onExhausted: "compensate", onRejected: "compensate" },
} as const;

export function createCodeWorld<Content>(code: Code<Content>, content: Content, services: Services) {
  const store = createMemoryJobStore();
  const effects = new Map<string, number>();
  let clock = Date.parse("2026-01-01T12:00:00.000Z");
  let diesAt = Number.POSITIVE_INFINITY;
  let calls = 0;
  const now = () => instant(clock);

  /** Each call of store and services: it dies before the call, or after it. */
  async function call<T>(work: () => T | Promise<T>): Promise<T> {
    calls += 1;
    if (calls === diesAt) throw new Died();
    const answer = await work();
    calls += 1;
    if (calls === diesAt) throw new Died();
    return answer;
  }

  async function read(): Promise<Versioned> {
    const found = await store.state("loan-1");
    if (!found) throw new Error("no job");
    return found;
  }

  /** Undefined if another writer was first: read it again. */
  async function write(before: Versioned, record: StateRecord): Promise<Versioned | undefined> {
    const written = await call(() => store.replace(before, record));
    return written.kind === "written" ? written : undefined;
  }

  const unrolled = (record: StateRecord): Workflow => replay(code, content, BASE, record.steps).workflow;

  async function submit(): Promise<void> {
    const reply = { replyTo: null, replyToSessionId: null, correlationId: "c-1", traceparent: null };
    const submission = { jobId: "loan-1", keys: {}, priority: "normal", contentDigest: "", ...reply } as const;
    const record = newStateRecord(submission, { ...BASE, steps: [] }, now(), after(now(), CLAIM_WITHIN_MS));
    const job = { workflow: "loan", priority: "normal" } as Job;
    await store.create(job, withSteps(record, unrolled(record)));
  }

  /** The scheduler's claim: with what the code asks for now. */
  async function claimed(before: Versioned): Promise<void> {
    const workflow = unrolled(before.record);
    const record = withSteps(before.record, workflow);
    const { attempt, direction } = record;
    const plan = planOf(workflow, record.steps, direction);
    if (isWholeDone(plan, record.steps, direction)) {
      const compensated = direction === "compensate" ? { steps: record.steps, cause: record.error } : null;
      const ending = endingOf(workflow, compensated, now());
      await write(before, applyChanges(record, concluding(ending.processState, ending, attempt, now())));
      return;
    }
    const next = readySteps(plan, record.steps, direction, now()).map((planned) =>
      scheduled(toSchedule(planned, record.steps), attempt, directionOf(planned, direction), now(), SCHEDULING),
    );
    const start = { jobId: record.jobId, attempt, direction, traceparent: null };
    const begun = applyChanges(record, claim(start, next, HOLDER, now()).changes);
    await write(before, { ...begun, ...timesOf(begun.steps, begun) });
  }

  function taskOf(record: StateRecord, step: string, direction: StepTask["direction"]): StepTask {
    const own = record.steps[step];
    if (!own) throw new Error(`no step ${step}`);
    const attempt = runOf(own, direction)?.attempt ?? 0;
    return {
      jobId: record.jobId,
      step,
      direction,
      attempt,
      record: own,
      agent: own.agent,
      lockedBy: HOLDER,
    } as unknown as StepTask;
  }

  /** The agent's answer is recorded with what the code asks for after it, in one write. */
  async function ended(task: StepTask, answer: Answer): Promise<void> {
    for (let before = await read(); ; before = await read()) {
      const after_ = afterAnswer(before.record, task, answer);
      if (!after_ || (await write(before, after_))) return;
    }
  }

  function afterAnswer(record: StateRecord, task: StepTask, answer: Answer): StateRecord | undefined {
    const circumstances = { now: now(), scheduling: SCHEDULING, claimWithinMs: CLAIM_WITHIN_MS };
    const { step, direction } = task;
    // What a compensation comes to is nothing for the code: it has ended.
    const isForward = direction === "forward" && record.direction === "forward";
    const isCaught = isForward && catches(code, content, BASE, record.steps, step);
    const known = withCatch(unrolled(record), step, isCaught);
    // What comes after this end: the code is run with it.
    const own = record.steps[step];
    const state = answer.kind === "done" ? "Completed" : "Failed";
    const result = answer.kind === "done" ? answer.result : null;
    const then =
      isForward && own && replay(code, content, BASE, { ...record.steps, [step]: { ...own, state, result } });
    const more = then ? withSteps(record, then.workflow) : record;
    const workflow = then ? withCatch(then.workflow, step, isCaught) : known;
    return afterStep(more, task, answer, { ...circumstances, workflow });
  }

  async function run(record: StateRecord, step: string, direction: StepTask["direction"]): Promise<void> {
    const task = taskOf(record, step, direction);
    const asked = unrolled(record).steps.find(({ name }) => name === step);
    const { compensation } = asked ?? {};
    const operation =
      direction === "forward"
        ? asked?.operation
        : typeof compensation === "object"
          ? compensation.operation
          : undefined;
    if (operation === undefined) throw new Error(`no operation for ${step}`);
    const key = idempotencyKey(record.jobId, step, direction, task.record);
    const reply = await call(() => {
      effects.set(key, 1);
      return services(operation, step);
    });
    if (reply.kind !== "accepted") return ended(task, { ...reply, ...ROUTE });
    const completeBy = after(now(), durationMs(asked?.awaitWithin ?? "") ?? 0);
    const mark = accepted(
      direction,
      { at: now(), ...(task.record.assignee && { remindedAt: null }) },
      ROUTE,
      completeBy,
    );
    for (let before = await read(); ; before = await read()) {
      const own = before.record.steps[step];
      if (!own || !mark.from.includes(own.state)) return;
      if (await write(before, takenAmong(before.record, step, mark.change(own), now()))) return;
    }
  }

  /** One supervisor's look: what is overdue is recovered by the usual verdicts; the code's `try` is the policy of its steps. */
  async function sweep(): Promise<void> {
    const before = await read();
    const { record } = before;
    if ((record.dueAt ?? "9") >= now()) return;
    const step = overdueStep(record, now());
    const known = unrolled(record);
    const isCaught =
      step !== undefined && record.direction === "forward" && catches(code, content, BASE, record.steps, step);
    const workflow = step === undefined ? known : withCatch(known, step, isCaught);
    const verdict = decideRecovery(record, (name) => policyFor(workflow, name), now(), CLAIM_WITHIN_MS);
    await write(before, recover(record, verdict, { now: now(), overdueBefore: now(), claimWithinMs: CLAIM_WITHIN_MS }));
  }

  /** A driver that knows nothing but the record: until the job ends, waits for somebody, or the driver dies. */
  async function drive(): Promise<void> {
    for (;;) {
      const before = await read();
      const { record } = before;
      if (hasEnded(record.processState)) return;
      if (record.processState === "Pending") {
        await claimed(before);
        continue;
      }
      const [next] = runsInHand(record.steps).filter(
        ({ run: { state, attempt } }) => state === "Scheduled" && attempt === record.attempt,
      );
      if (!next) return;
      await run(record, next.step, next.direction);
    }
  }

  return {
    effects,
    submit,
    drive,
    sweep,
    record: async () => (await read()).record,
    report: async (step: string, answer: Answer) => ended(taskOf((await read()).record, step, "forward"), answer),
    pass: (ms: number) => {
      clock += ms;
    },
    /** The driver dies at that call from now on; returns how many calls were made until now. */
    dieAt: (at: number) => {
      [diesAt, calls] = [at, 0];
    },
  };
}
