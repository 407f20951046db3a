// Runs an orchestrator over the events of its history, by the library's own executor, as the durable engine on Azure does.
import { createRequire } from "node:module";
import type { HistoryEvent } from "./orchestration-history.ts";

/** As `df.app.orchestration` takes it. */
// biome-ignore lint/suspicious/noExplicitAny: the library's context is the library's to declare.
export type Orchestrator = (context: any) => Generator<any, unknown, any>;

/** What the orchestrator has scheduled and not received yet. */
export type OpenTask =
  | { readonly id: number; readonly kind: "activity"; readonly name: string; readonly input: unknown }
  | { readonly id: number; readonly kind: "timer"; readonly fireAt: number; readonly isCancelled: boolean }
  /** Of an activity that failed and is to be retried: the pause, or the activity again. The library does not say which. */
  | { readonly id: number; readonly kind: "retry" };

interface LibraryAction {
  readonly actionType?: number;
  readonly functionName?: string;
  readonly input?: unknown;
  readonly fireAt?: Date;
  readonly isCanceled?: boolean;
}

interface LibraryTask {
  readonly id: number | string | false;
  readonly action: LibraryAction | "noOp";
  readonly children?: readonly LibraryTask[];
}

interface LibraryExecutor {
  readonly openTasks: { readonly [id: string]: LibraryTask };
  readonly orchestratorReturned: boolean;
  readonly willContinueAsNew: boolean;
  readonly actions: readonly LibraryAction[];
  readonly output: unknown;
  readonly exception: unknown;
  trackOpenTask(task: LibraryTask): void;
  processEvent(event: object): void;
  isDoneExecuting(): boolean;
}

interface LibraryOrchestrator {
  handle(trigger: object, context: object): Promise<unknown>;
}

// The library has no other way in: `df.app.orchestration` hands it to the host.
const { Orchestrator: LibraryOrchestrator } = createRequire(import.meta.url)(
  "durable-functions/lib/src/orchestrations/Orchestrator.js",
) as { Orchestrator: new (body: Orchestrator) => LibraryOrchestrator };

/** The newest form of the protocol: durable-functions, ReplaySchema. */
const SCHEMA = 2;

/** The library's number of the action by which an orchestration continues as new. */
const CONTINUE_AS_NEW = 4;

export type End = { readonly output: unknown } | { readonly fault: unknown } | { readonly continuedWith: unknown };

/** One orchestration: it goes on with each event that it is given. */
export class Replay {
  readonly #executor: LibraryExecutor;
  readonly #tasks = new Map<number, LibraryTask>();

  /** @param history its first events, which have to begin with `OrchestratorStarted` and `ExecutionStarted` */
  constructor(orchestrator: Orchestrator, instanceId: string, input: unknown, history: readonly HistoryEvent[]) {
    let executor: LibraryExecutor | undefined;
    const tasks = this.#tasks;
    const context = {
      // The library sets it before it begins, and reads it afterwards.
      set df(made: { readonly taskOrchestratorExecutor: LibraryExecutor } | undefined) {
        executor = made?.taskOrchestratorExecutor;
        if (executor) observe(executor, tasks);
        Object.defineProperty(context, "df", { value: made });
      },
      get df() {
        return undefined;
      },
    };
    const trigger = {
      ...{ history: history.map(asGiven), input: structuredClone(input), instanceId, isReplaying: false },
      ...{ longRunningTimerIntervalDuration: "3.00:00:00", maximumShortTimerDuration: "6.00:00:00" },
      ...{ upperSchemaVersion: 1, upperSchemaVersionNew: SCHEMA },
    };
    // It runs at once, up to where it waits; what it throws the executor has too.
    void new LibraryOrchestrator(orchestrator).handle(trigger, context).catch(() => undefined);
    if (!executor) throw new Error("this version of durable-functions is not known: it made no context");
    this.#executor = executor;
  }

  feed(events: readonly HistoryEvent[]): void {
    for (const event of events) {
      if (this.#executor.isDoneExecuting()) return;
      this.#executor.processEvent(asGiven(event));
    }
  }

  /** Undefined while it waits. */
  get end(): End | undefined {
    const { exception, orchestratorReturned, output, willContinueAsNew, actions } = this.#executor;
    if (exception !== undefined) return { fault: exception };
    if (willContinueAsNew) {
      const input = actions.find(({ actionType }) => actionType === CONTINUE_AS_NEW)?.input;
      // The library has made JSON of it.
      return { continuedWith: typeof input === "string" ? JSON.parse(input) : input };
    }
    return orchestratorReturned ? { output } : undefined;
  }

  /** The tasks that it has made since this was asked last, each by the number that the library gave it. */
  takeTasks(): OpenTask[] {
    const made = [...this.#tasks].map(([id, task]) => taskOf(id, task));
    this.#tasks.clear();
    return made;
  }

  /** Of the tasks without an end: the timers that it has cancelled. */
  get cancelled(): number[] {
    return Object.entries(this.#executor.openTasks).flatMap(([id, { action }]) =>
      action !== "noOp" && action.isCanceled ? [Number(id)] : [],
    );
  }
}

function asGiven(event: HistoryEvent): object {
  return { ...event, Timestamp: new Date(event.Timestamp) };
}

/** The executor numbers each task when it comes to know it, and forgets those that are done. */
function observe(executor: LibraryExecutor, tasks: Map<number, LibraryTask>): void {
  const track = executor.trackOpenTask.bind(executor);
  executor.trackOpenTask = (task) => {
    track(task);
    if (!task.children && typeof task.id === "number") tasks.set(task.id, task);
  };
}

function taskOf(id: number, { action }: LibraryTask): OpenTask {
  if (action === "noOp") return { id, kind: "retry" };
  const { functionName: name, input, fireAt, isCanceled = false } = action;
  if (name !== undefined) return { id, kind: "activity", name, input };
  if (fireAt) return { id, kind: "timer", fireAt: fireAt.getTime(), isCancelled: isCanceled };
  throw new Error(`task ${id} of the orchestrator is neither an activity nor a timer, which this does not know`);
}
