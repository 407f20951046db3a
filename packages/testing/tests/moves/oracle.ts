// What must hold of a random run: the model's checks of each write, call and message, and that nobody's wait ends by what is not its own fault.
import {
  type Direction,
  durationMs,
  hasEnded,
  idempotencyKey,
  instant,
  isTakenUp,
  runOf,
  runsInHand,
  type StateRecord,
  type StepRecord,
  stepOfRun,
} from "@scheduler-agent-supervisor/core/domain";
import type { StatusMessage } from "@scheduler-agent-supervisor/core/messaging";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { waitInWords, waitingJobOf, waitsOf } from "@scheduler-agent-supervisor/operator/domain";
import { normalForm } from "../../src/model/normal-form.ts";
import { faultOfPublishing, kept, NOTHING_PROMISED, type Promises, promised } from "../../src/model/promises.ts";
import { fixed, stepOf } from "../../src/model/service.ts";
import {
  faultOfCall,
  faultOfCompensated,
  faultOfState,
  faultOfWrite,
  isResubmitted,
  runsThatFailed,
  type Writer,
} from "../../src/model/watch.ts";
import { SUPERVISOR } from "../../src/world/processes.ts";
import type { Hindrances } from "./hindrances.ts";
import type { RandomServices } from "./random-services.ts";

export interface Around {
  readonly workflow: Workflow;
  readonly services: RandomServices;
  readonly hindrances: Hindrances;
  /** The process whose code runs. */
  readonly process: () => string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly clockSkewMs: number;
}

const LOOKING = { claimWithinMs: 60_000, graceMs: 60_000 } as const;

export class Oracle {
  readonly faults: string[] = [];
  readonly #in: Around;
  #promises: Promises = NOTHING_PROMISED;
  #record: StateRecord | undefined;
  /** When each agent last called its service. */
  readonly #calledAt = new Map<string, number>();

  constructor(around: Around) {
    this.#in = around;
  }

  written(before: StateRecord | undefined, after: StateRecord): void {
    const { services, workflow } = this.#in;
    if (before && isResubmitted(before, after)) services.state = fixed(services.state);
    this.#promises = promised(this.#promises, before, after);
    this.#record = after;
    this.#note(faultOfCompensated(after, services.state, workflow));
    this.#note(faultOfState(after, services.state, workflow));
    if (!hasEnded(after.processState) && after.dueAt === undefined) this.#note("it waits, and nobody will look at it");
    if (!before) return;
    this.#note(faultOfWrite(normalForm(before), normalForm(after), this.#writerOf(before, after)));
    if (this.#in.process() !== SUPERVISOR) return;
    for (const run of runsThatFailed(before, after)) this.#note(this.#faultOfUntaken(before, run));
    for (const run of waitsThatExpired(before, after)) this.#note(this.#faultOfWait(before, run));
  }

  published(messages: readonly StatusMessage[]): void {
    for (const message of messages) {
      this.#note(faultOfPublishing(message, this.#promises, this.#record, this.#in.workflow));
      this.#promises = kept(this.#promises, message);
    }
  }

  called(agent: string, key: string, compensates: string | null): void {
    const { services, workflow, now } = this.#in;
    this.#calledAt.set(agent, now());
    const record = this.#record;
    // It may be done again for a job that was compensated: it is declared to have no effect.
    const { compensation } = workflow.steps.find(({ name }) => name === stepOfRun(stepOf(key))) ?? {};
    if (record && compensation !== "nothing")
      this.#note(faultOfCall({ key, compensates }, services.state, record, record.attempt, false));
  }

  /** While it goes on, words say what it waits for. */
  looked(record: StateRecord): void {
    if (hasEnded(record.processState)) return;
    const context = { now: instant(this.#in.now()), ...LOOKING, isPaused: () => false };
    const words = waitsOf(waitingJobOf(record), context).map((wait) => waitInWords(wait, (at) => at));
    if (words.length === 0 || words.includes("")) this.#note("it waits, and no words say what for");
  }

  /** Everything is back, and nothing is due any more. */
  ended(record: StateRecord): void {
    const { processState, dueAt, outbox } = record;
    if (!hasEnded(processState)) this.#note(`it does not end: it stays ${processState}`);
    if (dueAt !== undefined) this.#note(`it has ended, and is still due at ${dueAt}`);
    const owed = [...this.#promises.owed, ...outbox.map(({ status }) => status)];
    if (owed.length > 0) this.#note(`its requester is still owed ${owed.join(", ")}`);
  }

  #note(fault: string | undefined): void {
    if (fault !== undefined) this.faults.push(fault);
  }

  #writerOf(before: StateRecord, after: StateRecord): Writer {
    const { process, now, clockSkewMs } = this.#in;
    const nowMs = now() + clockSkewMs / 2;
    if (process() === SUPERVISOR) {
      const isPast =
        before.deadlineAt && Date.parse(before.deadlineAt) < nowMs && after.error?.kind === "deadlinePassed";
      return { operation: "sweep", nowMs, isNobodyThere: true, ...(isPast && { isPastDeadline: true }) };
    }
    if (process() === undefined) return { operation: "operateJob" };
    const changed = changedRun(before, after);
    return { operation: "runStep", ...(hasEnded(before.processState) && changed && { own: changed }) };
  }

  /** Nobody took it up although nothing is known that kept its agent from its work: only then that counts. */
  #faultOfUntaken(before: StateRecord, { name, way }: Run): string | undefined {
    const { hindrances, now } = this.#in;
    const { agent = "" } = before.steps[name] ?? {};
    const run = runOf(before.steps[name], way);
    if (run === null || isTakenUp(run)) return undefined;
    const since = Date.parse(run.scheduledAt ?? "");
    if ((this.#calledAt.get(agent) ?? 0) > since) return `a failure of ${name} is counted, and ${agent} was at work`;
    const kept = [`paused: ${agent}`, "store", "bus", "engine", "stopped", "bug: seen", "bug: condition"];
    const met = hindrances.in(since, now()).filter(({ what }) => kept.includes(what));
    const names = met.map(({ what, from, until }) => `${what} for ${until - from} ms`);
    return names.length === 0 ? undefined : `a failure of ${name} is counted, which waited for ${names.join(", ")}`;
  }

  #faultOfWait(before: StateRecord, { name, way }: Run): string | undefined {
    const { hindrances, services, now, clockSkewMs } = this.#in;
    const step = before.steps[name] as StepRecord;
    const run = runOf(step, way);
    const withinMs = durationMs(this.#awaitWithin(name, way) ?? "") ?? 0;
    const acceptedAt = Date.parse(run?.accepted?.at ?? "");
    const paused = hindrances.msOf(`paused: ${step.agent}`, acceptedAt, now());
    const hadMs = now() - acceptedAt - paused;
    if (hadMs < withinMs - 2 * clockSkewMs)
      return `the wait of ${name} is over after ${hadMs} ms of its agent's own time, and it had ${withinMs}`;
    const doneAt = services.doneAt.get(idempotencyKey(before.jobId, name, way, step)) ?? Number.POSITIVE_INFINITY;
    if (doneAt > acceptedAt + withinMs / 2 + clockSkewMs) return undefined;
    const met = hindrances.in(acceptedAt, now()).map(({ what, from, until }) => `${what} for ${until - from} ms`);
    return `the wait of ${name} is over, and its service did it in time: ${met.join(", ")}`;
  }

  #awaitWithin(name: string, way: Direction): string | undefined {
    const { awaitWithin, compensation } = this.#in.workflow.steps.find((one) => one.name === stepOfRun(name)) ?? {};
    if (way === "forward") return awaitWithin;
    return typeof compensation === "object" ? compensation.awaitWithin : undefined;
  }
}

interface Run {
  readonly name: string;
  readonly way: Direction;
}

/** The waits for a service that a write ends because their time is over. */
function waitsThatExpired(before: StateRecord, after: StateRecord): Run[] {
  const failed = runsThatFailed(before, after).map(({ name, way }) => ({ name, way }));
  const { error } = after;
  const isNew = error !== null && error.kind === "expired" && error.at !== before.error?.at;
  const named = isNew && error.step !== null ? [{ name: error.step, way: before.direction }] : [];
  return [...failed, ...named].filter(({ name, way }) => runOf(before.steps[name], way)?.state === "Awaiting");
}

/** The one run that a report changes. */
function changedRun(before: StateRecord, after: StateRecord): Writer["own"] {
  const changed = runsInHand(before.steps).find(({ step, direction, run }) => {
    return JSON.stringify(runOf(after.steps[step], direction)) !== JSON.stringify(run);
  });
  return changed && { step: changed.step, direction: changed.direction, attempt: changed.run.attempt ?? 0 };
}
