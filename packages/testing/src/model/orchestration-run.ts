// Runs the real orchestrator of the core (functions/scheduler.ts) over the events of its history, as the durable engine does.

import { type Attempt, looksAt, runKey, type StepTask } from "@scheduler-agent-supervisor/core/domain";
import { scheduler } from "@scheduler-agent-supervisor/core/scheduling";
import { NOW_MS } from "./abstract-time.ts";

/** What happened to the task with this index: an activity's or an event's result, a failure, or a timer that fired. */
export type TaskEvent = { readonly task: number } & (
  | { readonly kind: "result"; readonly value: unknown }
  | { readonly kind: "failed" }
  | { readonly kind: "fired" }
);

/** How long after all should have come that it waits for the attempt looks at the record. */
export const PATIENCE_MS = looksAt(new Date(0).toISOString(), 0).getTime();

/** A task that the orchestrator waits for. A timer has the instant from which all that it waits for has expired: see `Engine.foundBy`. */
type AwaitedTask = { readonly task: number } & (
  | { readonly kind: "activity"; readonly name: string; readonly input: unknown }
  | { readonly kind: "timer"; readonly at: string }
  | { readonly kind: "event"; readonly name: string }
);

export interface Progress {
  /** How many tasks it has made in all. */
  readonly made: number;
  /** Of these, what may still make a difference; empty once it has ended. */
  readonly open: readonly AwaitedTask[];
  /** What it has begun, by `runKey`. */
  readonly begun: ReadonlySet<string>;
  readonly ended: boolean;
  /** It has not ended, but goes on with this input and without its history. */
  readonly continuedWith?: Attempt;
}

type Orchestrator = (context: unknown) => Generator<Task, unknown, unknown>;

type Task =
  | {
      readonly kind: "one";
      readonly index: number;
      readonly isCompleted: boolean;
      readonly result: unknown;
      readonly cancel: () => void;
    }
  | { readonly kind: "any" | "all"; readonly parts: readonly Task[] };

const orchestrator = scheduler as unknown as Orchestrator;

export function runOrchestration(attempt: Attempt, events: readonly TaskEvent[]): Progress {
  const made: AwaitedTask[] = [];
  const task = (open: (index: number) => AwaitedTask) => {
    const index = made.length;
    made.push(open(index));
    return {
      kind: "one" as const,
      index,
      get isCompleted() {
        return isKnown(index);
      },
      get result() {
        const event = isKnown(index) ? history.get(index)?.event : undefined;
        return event?.kind === "result" ? event.value : undefined;
      },
      // What lost the race is heard no more.
      cancel: () => undefined,
    };
  };
  const history = new Map(events.map((event, at) => [event.task, { event, at }]));
  /** What came after the event that it goes on with, it does not know yet. */
  let latest = -1;
  const isKnown = (index: number) => (history.get(index)?.at ?? Number.POSITIVE_INFINITY) <= latest;
  let continuedWith: Attempt | undefined;
  const context = {
    df: {
      getInput: () => attempt,
      currentUtcDateTime: new Date(NOW_MS),
      callActivity: (name: string, input: unknown) => task((index) => ({ task: index, kind: "activity", name, input })),
      callActivityWithRetry: (name: string, _: unknown, input: unknown) =>
        task((index) => ({ task: index, kind: "activity", name, input })),
      waitForExternalEvent: (name: string) => task((index) => ({ task: index, kind: "event", name })),
      createTimer: (at: Date) =>
        task((index) => ({ task: index, kind: "timer", at: new Date(at.getTime() - PATIENCE_MS).toISOString() })),
      continueAsNew: (input: Attempt) => {
        continuedWith = input;
      },
      Task: {
        any: (parts: readonly Task[]): Task => ({ kind: "any", parts }),
        all: (parts: readonly Task[]): Task => ({ kind: "all", parts }),
      },
    },
  };
  const generator = orchestrator(context);
  let step = generator.next();
  while (!step.done) {
    const waitsFor = step.value;
    const at = completedAt(waitsFor, history);
    if (at === undefined) {
      const open = undecided(waitsFor, history).flatMap((index) => made[index] ?? []);
      return { made: made.length, open, begun: begunBy(attempt, made), ended: false };
    }
    latest = Math.max(latest, at);
    try {
      step = hasFailed(waitsFor, history)
        ? generator.throw(new Error("an activity failed"))
        : generator.next(resultOf(waitsFor, history));
    } catch {
      break;
    }
  }
  const rest = { made: made.length, open: [], begun: new Set<string>() };
  return continuedWith ? { ...rest, ended: false, continuedWith } : { ...rest, ended: true };
}

function begunBy({ begun = [] }: Attempt, made: readonly AwaitedTask[]): ReadonlySet<string> {
  const own = made.flatMap((task) => {
    const input = task.kind === "activity" ? (task.input as StepTask) : undefined;
    return input?.step ? [runKey(input)] : [];
  });
  return new Set([...begun, ...own]);
}

type History = ReadonlyMap<number, { readonly event: TaskEvent; readonly at: number }>;

/** Which event completed it; undefined while none has. One of all that fails, fails them all at once. */
function completedAt(task: Task, history: History): number | undefined {
  if (task.kind === "one") return history.get(task.index)?.at;
  const parts = task.parts.map((part) => completedAt(part, history));
  const done = parts.filter((at) => at !== undefined);
  if (task.kind === "any") return done.length > 0 ? Math.min(...done) : undefined;
  if (hasFailed(task, history)) return Math.min(...done);
  return done.length === parts.length ? Math.max(...done) : undefined;
}

/** A race is won by what completes first, also by failing: whoever looks at the winner finds that out. */
function hasFailed(task: Task, history: History): boolean {
  if (task.kind === "one") return history.get(task.index)?.event.kind === "failed";
  return task.kind === "all" && task.parts.some((part) => hasFailed(part, history));
}

function resultOf(task: Task, history: History): unknown {
  switch (task.kind) {
    case "one": {
      const event = history.get(task.index)?.event;
      return event?.kind === "result" ? event.value : undefined;
    }
    case "any":
      return [...task.parts].sort((one, other) => jobOf(one, history) - jobOf(other, history))[0];
    case "all":
      return task.parts.map((part) => resultOf(part, history));
    default:
      return task satisfies never;
  }
}

function jobOf(task: Task, history: History): number {
  return completedAt(task, history) ?? Number.POSITIVE_INFINITY;
}

/** The tasks inside it whose outcome can still make a difference. */
function undecided(task: Task, history: History): number[] {
  if (completedAt(task, history) !== undefined) return [];
  if (task.kind === "one") return [task.index];
  return task.parts.flatMap((part) => undecided(part, history));
}
