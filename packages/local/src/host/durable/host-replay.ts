// How the real host replays: it does not run the orchestrator but walks the library's list of actions, one after the other, against the
// history, and numbers what they schedule itself. A cancelled timer ends its Task.any there at once, in every replay, so what a retry
// numbers on reaction may get another number than it got at first. (Durable extension: OutOfProcOrchestrationShim,
// ProcessAsyncActionsV2; DurableTask.Core: TaskOrchestrationContext, RetryInterceptor.)
import { ActionType, type Command } from "./actions.ts";
import { describeCommand, describeEvent } from "./determinism.ts";
import { EventType, endedTask, type HistoryEvent, isScheduling } from "./history.ts";
import type { LibraryAction } from "./library.ts";

/**
 * What the real host would call non-deterministic, or undefined.
 * @param history with the events of the turn, and without what its commands schedule
 */
export function differenceOnHost(
  actions: readonly LibraryAction[],
  history: readonly HistoryEvent[],
  commands: readonly Command[],
): string | undefined {
  const walk = new Walk();
  for (const event of history) {
    if (event.EventType === EventType.executionStarted) walk.begin(actions);
    else {
      const difference = walk.take(event);
      if (difference !== undefined) return difference;
    }
  }
  for (const command of commands) {
    const [here, there] = [describeCommand(command), walk.scheduled.get(command.id)];
    if (there !== here) return `task ${command.id} is ${here} to the library and ${there ?? "nothing"} to the host`;
  }
  return undefined;
}

/** A .NET task, as far as it matters here: it runs what follows in the same breath. */
class Task {
  failed = false;
  #ended = false;
  #next: (() => void)[] = [];

  static ended(): Task {
    const task = new Task();
    task.end();
    return task;
  }

  end(failed = false): void {
    if (this.#ended) return;
    this.#ended = true;
    this.failed = failed;
    for (const next of this.#next) next();
  }

  whenEnded(next: () => void): void {
    if (this.#ended) next();
    else this.#next.push(next);
  }
}

class Walk {
  readonly scheduled = new Map<number, string>();
  readonly #open = new Map<number, Task>();
  /** The last to wait is the first to be answered. */
  readonly #waiting = new Map<string, Task[]>();
  readonly #early = new Map<string, number>();
  #nextId = 0;

  begin(actions: readonly LibraryAction[]): void {
    const walkFrom = (index: number): void => {
      const action = actions[index];
      if (action) this.#invoke(action).whenEnded(() => walkFrom(index + 1));
    };
    walkFrom(0);
  }

  /** What differs, in words. */
  take(event: HistoryEvent): string | undefined {
    if (isScheduling(event)) {
      const [past, now] = [describeEvent(event), this.scheduled.get(event.EventId)];
      this.scheduled.delete(event.EventId);
      if (now === undefined) return `task ${event.EventId} was ${past} and is not scheduled (yet)`;
      return now === past ? undefined : `task ${event.EventId} was ${past} and is now ${now}`;
    }
    if (event.EventType === EventType.eventRaised) {
      this.#raise(event.Name ?? "");
      return undefined;
    }
    const id = endedTask(event) ?? -1;
    const task = this.#open.get(id);
    this.#open.delete(id);
    task?.end(event.EventType === EventType.taskFailed || event.EventType === EventType.childFailed);
    return undefined;
  }

  #invoke(action: LibraryAction): Task {
    const { actionType, functionName = "", compoundActions = [] } = action;
    const activity = () => this.#schedule(`activity "${functionName}"`);
    const child = () => this.#schedule(`sub-orchestration "${functionName}"`);
    switch (actionType) {
      case ActionType.callActivity:
        return activity();
      case ActionType.callActivityWithRetry:
        return this.#retry(action, activity);
      case ActionType.callChild:
        return child();
      case ActionType.callChildWithRetry:
        return this.#retry(action, child);
      case ActionType.createTimer:
        return this.#timer(action.isCanceled);
      case ActionType.waitForExternalEvent:
        return this.#wait(action.externalEventName ?? "");
      case ActionType.whenAll:
        return all(compoundActions.map((each) => this.#invoke(each)));
      case ActionType.whenAny:
        return any(compoundActions.map((each) => this.#invoke(each)));
      default:
        return Task.ended();
    }
  }

  #schedule(what: string): Task {
    const id = this.#nextId++;
    const task = new Task();
    this.scheduled.set(id, what);
    this.#open.set(id, task);
    return task;
  }

  #timer(isCancelled = false): Task {
    const id = this.#nextId;
    const task = this.#schedule("a timer");
    if (isCancelled) {
      this.#open.delete(id);
      task.end();
    }
    return task;
  }

  /** A pause follows each failed attempt, the last one too. */
  #retry({ retryOptions }: LibraryAction, call: () => Task): Task {
    const whole = new Task();
    const attempt = (left: number): void => {
      const one = call();
      one.whenEnded(() => {
        if (!one.failed) whole.end();
        else this.#timer().whenEnded(() => (left > 1 ? attempt(left - 1) : whole.end(true)));
      });
    };
    attempt(retryOptions?.maxNumberOfAttempts ?? 1);
    return whole;
  }

  #wait(name: string): Task {
    const task = new Task();
    const early = this.#early.get(name) ?? 0;
    if (early > 0) {
      this.#early.set(name, early - 1);
      task.end();
    } else {
      this.#waiting.set(name, [...(this.#waiting.get(name) ?? []), task]);
    }
    return task;
  }

  #raise(name: string): void {
    const task = this.#waiting.get(name)?.pop();
    if (task) task.end();
    else this.#early.set(name, (this.#early.get(name) ?? 0) + 1);
  }
}

function all(tasks: readonly Task[]): Task {
  const whole = new Task();
  let left = tasks.length;
  for (const task of tasks) {
    task.whenEnded(() => {
      left -= 1;
      if (left === 0) whole.end();
    });
  }
  return whole;
}

function any(tasks: readonly Task[]): Task {
  const whole = new Task();
  for (const task of tasks) task.whenEnded(() => whole.end());
  return whole;
}
