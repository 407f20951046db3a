// One run of an orchestrator inside the library: feeds it events and reads what it scheduled and how it ended.
import type { InvocationContext } from "@azure/functions";
import { isError, messageOf, shown } from "../../thrown.ts";
import { HOST_LIMITS } from "../limits.ts";
import { type ActionRules, pauseFault, RejectedAction } from "./action-rules.ts";
import { ActionType, type Command, commandOf, preparedText, taskRetryDelayMs, timerCommand } from "./actions.ts";
import type { HistoryEvent } from "./history.ts";
import {
  type LibraryAction,
  type LibraryContext,
  type LibraryExecutor,
  type LibraryTask,
  libraryContext,
  TaskState,
} from "./library.ts";

export type End =
  | { readonly kind: "completed"; readonly output: string }
  | {
      readonly kind: "failed";
      readonly reason: string;
      /** Also where tasks are still open: the engine failed it, not its own code. */
      readonly atOnce?: boolean;
    }
  | { readonly kind: "continued"; readonly input: string };

export class Session {
  /** How many of the events handed over were taken in: those after the orchestrator's end are not. */
  processed = 0;
  #context: LibraryContext | undefined;
  #commands: Command[] = [];
  #warnings: string[] = [];
  #fault: unknown;
  readonly #timers = new Map<number, LibraryTask>();
  /** Runs ahead of the library's own numbers once a pending task was scheduled again. */
  #nextId = 0;
  #handledActions = 0;
  /** Inside a composite that is scheduled now: tasks in it that already have a number are scheduled again. */
  #composing = false;
  #depth = 0;
  #hasRetried = false;
  #hasCancelled = false;
  readonly #rules: ActionRules;
  /** When each retried task began. */
  readonly #firstAttempts = new WeakMap<LibraryTask, number>();

  constructor(rules: ActionRules) {
    this.#rules = rules;
  }

  /** Hangs the look-out on a context: the library assigns `df` there before it runs any of the app's code. */
  attach(context: InvocationContext): void {
    Object.defineProperty(context, "df", {
      configurable: true,
      enumerable: true,
      get: () => this.#context,
      set: (value: unknown) => {
        this.#context = libraryContext(value);
        this.#watch(this.#context.taskOrchestratorExecutor);
      },
    });
  }

  /** Whether the library took the orchestrator up at all. */
  get attached(): boolean {
    return this.#context !== undefined;
  }

  /** Hands new events to an orchestrator that is already under way. */
  feed(events: readonly HistoryEvent[]): void {
    const executor = this.#executor();
    try {
      for (const event of events) {
        if (executor.isDoneExecuting()) return;
        executor.processEvent(event);
      }
    } catch (cause) {
      this.#fault ??= cause;
    }
  }

  /** The run failed outside the orchestrator's own code. */
  fail(cause: unknown): void {
    this.#fault ??= cause;
  }

  /** What was scheduled since the last call. */
  takeCommands(): Command[] {
    const commands = this.#commands;
    this.#commands = [];
    return commands;
  }

  takeWarnings(): string[] {
    const warnings = this.#warnings;
    if (warnings.length > 0) this.#warnings = [];
    return warnings;
  }

  /** The timers that the orchestrator has cancelled since the last call. */
  takeCancelled(): number[] {
    const cancelled: number[] = [];
    for (const [id, task] of this.#timers) {
      const isCanceled = task.action !== "noOp" && task.action.isCanceled;
      if (isCanceled) cancelled.push(id);
      if (isCanceled || task.state !== TaskState.running) this.#timers.delete(id);
    }
    if (cancelled.length > 0) this.#hasCancelled = true;
    return cancelled;
  }

  /** The actions as the real host would walk them, where that may give other numbers than the library's. */
  get renumberedActions(): readonly LibraryAction[] | undefined {
    return this.#hasRetried && this.#hasCancelled ? this.#executor().actions : undefined;
  }

  /** JSON text; null where none was set. One that is no JSON ends the orchestration, so this is read before `end`. */
  get customStatus(): string | null {
    try {
      const text = JSON.stringify(this.#context?.customStatus) ?? null;
      const most = HOST_LIMITS.customStatusBytes.value;
      if (text === null || 2 * text.length <= most) return text;
      throw new Error(
        `The custom status may have ${most / 1024} KB as JSON in UTF-16, and has ${2 * text.length} bytes.`,
      );
    } catch (cause) {
      this.#fault ??= cause;
      return null;
    }
  }

  /** How the orchestrator ended; undefined while it waits. */
  get end(): End | undefined {
    const executor = this.#executor();
    const fault = this.#fault ?? executor.exception;
    if (fault !== undefined) return failure(fault);
    try {
      if (executor.willContinueAsNew) {
        const action = executor.actions.find(({ actionType }) => actionType === ActionType.continueAsNew);
        return { kind: "continued", input: this.#rules.checkPayload("The next input", preparedText(action?.input)) };
      }
      if (!executor.orchestratorReturned) return undefined;
      return {
        kind: "completed",
        output: this.#rules.checkPayload("The output", JSON.stringify(executor.output) ?? "null"),
      };
    } catch (cause) {
      return failure(cause);
    }
  }

  /** Why an action was rejected, which is then missing among the commands. */
  get rejection(): string | undefined {
    return this.#fault instanceof RejectedAction ? this.#fault.message : undefined;
  }

  /** Names of events that were raised and never waited for, in the order of their arrival. */
  get unconsumedEvents(): string[] {
    const deferred = Object.entries(this.#executor().deferredTasks);
    return deferred.flatMap(([name, waiting]) => (/^\d+$/.test(name) ? [] : waiting.map(() => name)));
  }

  #executor(): LibraryExecutor {
    if (!this.#context) throw new Error("The orchestrator was not taken up by durable-functions.");
    return this.#context.taskOrchestratorExecutor;
  }

  #watch(executor: LibraryExecutor): void {
    const track = executor.trackOpenTask;
    const record = executor.recordFireAndForgetAction;
    const process = executor.processEvent;
    executor.trackOpenTask = (task) => {
      this.#depth += 1;
      // What is called after continueAsNew is not among the actions, and never happens.
      if (!executor.willContinueAsNew) this.#observe(executor, task);
      track.call(executor, task);
      this.#depth -= 1;
      if (this.#depth === 0) this.#composing = false;
    };
    executor.recordFireAndForgetAction = (action, increment) => {
      if (!executor.willContinueAsNew) this.#take(action);
      record.call(executor, action, increment);
      this.#handledActions = executor.actions.length;
    };
    executor.processEvent = (event) => {
      this.processed += 1;
      process.call(executor, event);
    };
  }

  /** Called for each task of a tree, parents first, before the library numbers it. */
  #observe(executor: LibraryExecutor, task: LibraryTask): void {
    if (task.children) {
      this.#observeCompound(executor, task);
      return;
    }
    if (task.id === false) {
      if (task.action === "noOp") this.#scheduleRetry(task);
      else this.#take(task.action, task);
    } else if (this.#composing && !isEventWait(task) && !task.parent?.innerTask) {
      this.#scheduleAgain(task);
    }
  }

  #observeCompound(executor: LibraryExecutor, task: LibraryTask): void {
    const { actions } = executor;
    const isNew = actions.length > this.#handledActions && actions[actions.length - 1] === task.action;
    // A timer that the library has split: its parts are near.
    if (task.action !== "noOp" && task.action.actionType === ActionType.createTimer) this.#isTaken(task.action);
    if (isNew) {
      this.#handledActions = actions.length;
      this.#composing = true;
    } else if (this.#composing && task.innerTask && task.innerTask.id !== false) {
      this.#scheduleAgain(task);
    }
  }

  #take(action: LibraryAction, task?: LibraryTask): void {
    if (!this.#isTaken(action)) return;
    if (task?.parent?.retryOptions && this.#context) {
      this.#firstAttempts.set(task.parent, this.#context.currentUtcDateTime.getTime());
    }
    this.#schedule(action, task);
  }

  #isTaken(action: LibraryAction): boolean {
    try {
      this.#rules.check(action);
      return true;
    } catch (cause) {
      this.#fault ??= cause;
      return false;
    }
  }

  #schedule(action: LibraryAction, task?: LibraryTask): void {
    const id = this.#nextId++;
    try {
      const command = commandOf(action, id);
      if (command.kind === "activity" || command.kind === "child")
        this.#rules.checkPayload(`The input of ${command.name}`, command.input);
      this.#commands.push(command);
      if (command.kind === "timer" && task) this.#timers.set(id, task);
    } catch (cause) {
      this.#fault ??= cause;
    }
  }

  /** After a failed attempt the retried task takes one number for the pause and, when that is over, one for the next attempt. */
  #scheduleRetry(task: LibraryTask): void {
    const retried = task.parent;
    if (!retried?.retryOptions || !retried.children || retried.action === "noOp" || !this.#context) {
      this.#fault ??= new Error("durable-functions took a task number that the engine cannot explain.");
      return;
    }
    const isPause = retried.children.length % 2 === 0;
    if (!isPause) {
      this.#schedule(retried.action);
      return;
    }
    this.#hasRetried = true;
    const now = this.#context.currentUtcDateTime.getTime();
    const attempt = retried.children.length / 2;
    const beganAt = this.#firstAttempts.get(retried) ?? now;
    const fault = pauseFault(retried.retryOptions, attempt, now - beganAt);
    if (fault === undefined) {
      this.#commands.push(timerCommand(this.#nextId++, now + taskRetryDelayMs(retried.retryOptions, attempt)));
    } else {
      this.#fault ??= new RejectedAction(fault);
    }
  }

  /**
   * The real engine walks the actions of a new composite and schedules every one of them, also those of tasks that an
   * earlier composite has scheduled; its numbers then no longer agree with the library's (durable-js#574).
   */
  #scheduleAgain(task: LibraryTask): void {
    if (task.action === "noOp") return;
    const name = task.action.functionName ?? (task.action.actionType === ActionType.createTimer ? "a timer" : "a task");
    this.#warnings.push(
      `${name} (task ${task.innerTask?.id ?? task.id}) stands in a second Task.any or Task.all. As on the real host it is scheduled AGAIN and ` +
        `the results of later tasks go astray: the orchestration may never end. Use each task in one composite.`,
    );
    this.#take(task.action);
  }
}

function isEventWait(task: LibraryTask): boolean {
  return task.action !== "noOp" && task.action.actionType === ActionType.waitForExternalEvent;
}

function failure(fault: unknown): End {
  const atOnce = fault instanceof RejectedAction;
  return { kind: "failed", reason: isError(fault) ? messageOf(fault) : shown(fault), ...(atOnce && { atOnce }) };
}
