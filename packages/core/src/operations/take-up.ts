// When an agent takes a step up (P8, P26): the instant by which it has to be done, and whether the record has to say so first.
import type { StepTask } from "../domain/attempt.ts";
import { after, durationMs } from "../domain/duration.ts";
import { runOf } from "../domain/plan.ts";
import { hasEnded, type StepRun } from "../domain/state-record.ts";
import { awaits, takenAmong } from "../domain/step-end.ts";
import { type Mark, takenUp, withRun } from "../domain/step-run.ts";
import { takeUp, takeUpOnly } from "../domain/step-writes.ts";
import type { Written } from "../store/job-store.ts";
import { type Context, instant, type Ports } from "./ports.ts";

/**
 * Marks the step, as Running or Awaiting. Never takes time away that an operator has given meanwhile: the record then stays due when it is. Rejected
 * where the step is not in hand any more, or marked already.
 */
export async function recordMark(task: StepTask, mark: Mark, now: string, ports: Ports): Promise<Written> {
  const { jobId } = task;
  if (!task.isAlone) return recordAmong(task, mark, now, ports);
  const written = await ports.store.change(jobId, takeUp(task, mark, now));
  if (written.kind === "written") return written;
  return ports.store.change(jobId, takeUpOnly(task, mark, now));
}

/** Beside others it depends on them when the record is due: at the version that was read, as often as one of them comes between. */
async function recordAmong(task: StepTask, mark: Mark, now: string, { store }: Ports): Promise<Written> {
  for (;;) {
    const read = await store.state(task.jobId);
    const own = read?.record.steps[task.step];
    if (!read || !own || !awaits(read.record, task) || hasEnded(read.record.processState)) return { kind: "rejected" };
    const run = runOf(own, task.direction);
    if (!run || !mark.from.includes(run.state)) return { kind: "rejected" };
    const written = await store.replace(read, takenAmong(read.record, task.step, mark.change(own), now));
    if (written.kind === "written") return written;
  }
}

/**
 * What is reported of a step in hand: at the version that was read, since a report may come while its agent asks.
 * @param news undefined where it is none any more
 */
export async function recordNews(
  task: StepTask,
  now: string,
  { store }: Ports,
  news: (run: StepRun) => Partial<StepRun> | undefined,
): Promise<Written> {
  for (;;) {
    const read = await store.state(task.jobId);
    const own = read?.record.steps[task.step];
    const run = runOf(own, task.direction);
    const isOpen = read && awaits(read.record, task) && !hasEnded(read.record.processState);
    const received = isOpen && run ? news(run) : undefined;
    if (!read || !own || !received) return { kind: "rejected" };
    const changed = withRun(own, task.direction, received);
    const written = await store.replace(read, takenAmong(read.record, task.step, changed, now));
    if (written.kind === "written") return written;
  }
}

/**
 * Taken up in time, a step costs no write: the record's complete-by allows for it. Taken up late, or at work for longer than most,
 * it is recorded as Running; from then on the supervisor counts it as a failure when its time is over.
 */
export class TakeUp {
  readonly #task: StepTask;
  readonly #context: Context;
  #startedAt: string | undefined;
  #isRecorded = false;

  constructor(task: StepTask, context: Context) {
    this.#task = task;
    this.#context = context;
  }

  /** Undefined until it was taken up. */
  get startedAt(): string | undefined {
    return this.#startedAt;
  }

  /** The instant by which the agent has to be done; undefined where it may not begin any more. Throws where the store is away. */
  async begin(): Promise<string | undefined> {
    const { completeBy: inTime, completeWithin } = this.#task;
    const now = instant(this.#context.now());
    const completeBy = after(now, durationMs(completeWithin) ?? 0);
    this.#startedAt = now;
    if (completeBy <= inTime) return completeBy;
    // However late: as long as the supervisor has not had it scheduled again, it is this one's to do.
    const written = await recordMark(this.#task, takenUp(this.#task.direction, now, completeBy), now, this.#context);
    if (written.kind === "rejected") return this.#resumed(now);
    this.#isRecorded = true;
    return completeBy;
  }

  /** Says in the record that the agent is at work, unless it says so. Where the store is away, the step counts as not taken up. */
  async record(): Promise<void> {
    if (this.#isRecorded || this.#startedAt === undefined) return;
    this.#isRecorded = true;
    const { jobId, attempt, step, direction, completeBy } = this.#task;
    const mark = takenUp(direction, this.#startedAt, completeBy);
    try {
      await recordMark(this.#task, mark, this.#startedAt, this.#context);
    } catch (cause) {
      this.#context.telemetry.event("TakeUpUnrecorded", { jobId, attempt, step, cause: String(cause) });
    }
  }

  /** An earlier run of this task took it up and died: this one has what is left of its time. */
  async #resumed(now: string): Promise<string | undefined> {
    const { jobId, attempt, step, direction } = this.#task;
    const record = (await this.#context.store.state(jobId))?.record;
    const run = runOf(record?.steps[step], direction);
    if (run?.state !== "Running" || run.attempt !== attempt || run.completeBy === null || run.completeBy <= now)
      return undefined;
    this.#startedAt = run.startedAt ?? now;
    this.#isRecorded = true;
    return run.completeBy;
  }
}
