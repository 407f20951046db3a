// Runs an orchestrator over its history, by the library's own executor: as the durable engine on Azure does at each turn.
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

export interface Replayed {
  /** Every task that it has made, by its number. */
  readonly tasks: ReadonlyMap<number, OpenTask>;
  /** Of these, what has no end in the history. */
  readonly open: readonly OpenTask[];
  /** Undefined while it waits. */
  readonly end: { readonly output: unknown } | { readonly fault: unknown } | undefined;
}

interface LibraryAction {
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
  readonly output: unknown;
  readonly exception: unknown;
  trackOpenTask(task: LibraryTask): void;
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

export async function replayed(
  orchestrator: Orchestrator,
  instanceId: string,
  input: unknown,
  history: readonly HistoryEvent[],
): Promise<Replayed> {
  const tasks = new Map<number, LibraryTask>();
  let executor: LibraryExecutor | undefined;
  const context = {
    set df(made: { readonly taskOrchestratorExecutor: LibraryExecutor }) {
      executor = made.taskOrchestratorExecutor;
      observe(executor, tasks);
      Object.defineProperty(context, "df", { value: made });
    },
    get df() {
      return undefined as never;
    },
  };
  const trigger = {
    history: history.map((event) => ({ ...event, Timestamp: new Date(event.Timestamp) })),
    input: structuredClone(input),
    instanceId,
    isReplaying: false,
    longRunningTimerIntervalDuration: "3.00:00:00",
    maximumShortTimerDuration: "6.00:00:00",
    defaultHttpAsyncRequestSleepTimeMillseconds: 30_000,
    upperSchemaVersion: 1,
    upperSchemaVersionNew: SCHEMA,
  };
  // What it throws is what the orchestrator threw, which the executor has too.
  await new LibraryOrchestrator(orchestrator).handle(trigger, context).catch((cause: unknown) => {
    if (executor?.exception === undefined) throw cause;
  });
  if (!executor) throw new Error("this version of durable-functions is not known: it made no context");
  const { openTasks, exception, orchestratorReturned, output } = executor;
  const all = new Map([...tasks].map(([id, task]) => [id, taskOf(id, task)]));
  const open = Object.keys(openTasks).flatMap((id) => all.get(Number(id)) ?? []);
  if (exception !== undefined) return { tasks: all, open, end: { fault: exception } };
  return { tasks: all, open, end: orchestratorReturned ? { output } : undefined };
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
