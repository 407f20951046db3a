// The start of a step by its agent (P8, P26): sets the instant by which the step must be done, and decides whether the record must contain it
// first.

import type { Start } from "../../agents/agent.ts";
import { after, durationMs, instant } from "../../domain/duration.ts";
import { runOf } from "../../domain/record/plan.ts";
import type { StepTask } from "../../domain/steps/attempt.ts";
import { marked } from "../../domain/steps/step-end.ts";
import { type Mark, takenUp } from "../../domain/steps/step-run.ts";
import { markUnread } from "../../domain/steps/unread.ts";
import { inWords } from "../../domain/thrown.ts";
import { type Changed, change } from "../change.ts";
import type { Recording } from "../ports.ts";

/**
 * Marks the step, as Running or Awaiting. Never shortens the time that an operator has extended in the meantime: the record then keeps its due
 * time. Rejected if the step is not open any more, or marked already. With other steps in progress the record's due time depends on them, so it is
 * read first.
 */
export function recordMark(task: StepTask, mark: Mark, now: string, ports: Recording): Promise<Changed> {
  const unread = task.isAlone ? markUnread(task, mark, now) : [];
  return change(task.jobId, (record) => marked(record, task, mark, now), ports, unread);
}

/**
 * A step that is taken up in time costs no write: the record's complete-by includes its time. A step that is taken up late, or takes longer than
 * most, is recorded as Running; from then on the supervisor counts it as a failure when its time is over. A step whose operation must not be
 * repeated is recorded as Running before its first try, with its outcome unknown: whoever runs it later knows that it may have been done. So is a step
 * that may have killed its process before: each further death counts.
 */
export class TakeUp {
  #task: StepTask;
  readonly #context: Recording;
  readonly #isNotRepeated: boolean;
  #startedAt: string | undefined;
  #completeBy: string | undefined;
  #isRecorded = false;
  #isAccepted = false;

  constructor(task: StepTask, isNotRepeated: boolean, context: Recording) {
    this.#task = task;
    this.#isNotRepeated = isNotRepeated;
    this.#context = context;
  }

  /** With what was recorded of it since, such as the result of its condition. */
  set task(task: StepTask) {
    this.#task = task;
  }

  /** Undefined until it is taken up. */
  get startedAt(): string | undefined {
    return this.#startedAt;
  }

  /** Whether the agent may still say something: after complete-by nothing is recorded (P8). */
  get isInTime(): boolean {
    return this.#completeBy !== undefined && instant(this.#context.now()) <= this.#completeBy;
  }

  /** Its agent took it up, and the time for it has passed. */
  get isPast(): boolean {
    return this.#completeBy !== undefined && !this.isInTime;
  }

  /** It was not taken up, because an earlier run of this task did that, and its service has accepted it. */
  get isAccepted(): boolean {
    return this.#isAccepted;
  }

  /**
   * Undefined if it may not begin any more. Throws if the store is unavailable.
   * @param isSent false if nothing is sent: only that it was taken up is recorded
   */
  async begin(isSent = true): Promise<Start | undefined> {
    const start = await this.#begun(isSent);
    this.#completeBy = start?.completeBy;
    return start;
  }

  async #begun(isSent: boolean): Promise<Start | undefined> {
    const { completeBy: inTime, completeWithin, agent, direction } = this.#task;
    const now = instant(this.#context.now());
    if (isSent) this.#context.presence.seen(agent);
    const own = after(now, durationMs(completeWithin) ?? 0);
    // An agent behind a queue is waited for until then, whenever it takes the request up.
    const completeBy = this.#task.transport === "queue" && own > inTime ? inTime : own;
    this.#startedAt = now;
    if (completeBy <= inTime && !this.#isNotRepeated && !mayHaveKilled(this.#task)) return { completeBy };
    const unknown = this.#isNotRepeated ? isSent || isUnknown(this.#task) : undefined;
    // However late: the step belongs to this task until the supervisor has scheduled it again.
    const written = await recordMark(this.#task, takenUp(direction, now, completeBy, unknown), now, this.#context);
    if (written.kind === "rejected") return this.#resumed(now);
    this.#isRecorded = true;
    return { completeBy };
  }

  /** Records that the agent is working, unless the record contains it. If the store is unavailable, the step counts as not taken up. */
  async record(): Promise<void> {
    if (this.#isRecorded || this.#startedAt === undefined) return;
    this.#isRecorded = true;
    const { jobId, attempt, step, direction, completeBy } = this.#task;
    const mark = takenUp(direction, this.#startedAt, completeBy);
    try {
      await recordMark(this.#task, mark, this.#startedAt, this.#context);
    } catch (cause) {
      this.#context.telemetry.event("TakeUpUnrecorded", { jobId, attempt, step, cause: inWords(cause) });
    }
  }

  /**
   * An earlier run of this task took it up, and crashed or is still at work: this run has the rest of its time. An operation that must not be repeated
   * is told so.
   */
  async #resumed(now: string): Promise<Start | undefined> {
    const { jobId, attempt, step, direction } = this.#task;
    const record = (await this.#context.store.state(jobId))?.record;
    const run = runOf(record?.steps[step], direction);
    const isOwn = run?.attempt === attempt;
    this.#isAccepted = isOwn && run.state === "Awaiting";
    if (!isOwn || run.state !== "Running" || run.completeBy === null || run.completeBy <= now) return undefined;
    this.#startedAt = run.startedAt ?? now;
    this.#isRecorded = true;
    const { completeBy } = run;
    return { completeBy, ...(this.#isNotRepeated && { triedUntil: completeBy }) };
  }
}

/**
 * An earlier run of the step went without a word: it was not taken up, or it ended the process that ran it. Only a recorded start shows the
 * supervisor which, and is counted.
 */
function mayHaveKilled({ record, direction }: StepTask): boolean {
  const { waitCount = 0, failureCount = 0, expiry } = runOf(record, direction) ?? {};
  return waitCount > 0 || (failureCount > 0 && expiry === undefined);
}

const isUnknown = ({ record, direction }: StepTask) => runOf(record, direction)?.outcomeUnknown ?? false;
