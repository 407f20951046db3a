// Replays a stored history against an orchestrator: whether instances that are in flight go on with changed code, or would break.
import { scheduler } from "@scheduler-agent-supervisor/core/scheduling";
import { EVENT, type HistoryEvent } from "./orchestration-history.ts";
import { type OpenTask, type Orchestrator, Replay } from "./replayed.ts";

/**
 * One event as it was stored. `EventType` is the library's number, as the local host stores it, or its name, as the storage provider on Azure writes it into the
 * table `<hub>History` (`TaskScheduled`). Members that this does not know are ignored.
 */
export type StoredEvent = Omit<HistoryEvent, "EventType" | "IsPlayed"> & {
  readonly EventType: number | string;
  readonly IsPlayed?: boolean;
};

/** Whether the orchestrator repeats the actions in the history. */
export type ReplayOutcome =
  | { readonly kind: "same" }
  /** Each as text: the action in the history, and the action now. */
  | { readonly kind: "differs"; readonly differences: readonly string[] };

/**
 * Replays a history against an orchestrator, and returns the differences. The events have to be in their stored sequence, from
 * the start of the orchestration.
 * @param orchestrator the core's own scheduler if absent
 * @throws where that is no history of an orchestration
 */
export function replay(history: readonly StoredEvent[], orchestrator: Orchestrator = scheduler): ReplayOutcome {
  const events = history.flatMap((event) => known(event) ?? []);
  const begun = events.find(({ EventType: type }) => type === EVENT.executionStarted);
  if (!begun || events[0]?.EventType !== EVENT.orchestratorStarted) {
    throw new Error("A history begins with OrchestratorStarted, and has ExecutionStarted behind it.");
  }
  const input: unknown = JSON.parse(begun.Input || "null");
  const replayed = new Replay(orchestrator, "replayed", input, events);
  const made = new Map(replayed.takeTasks().map((task) => [task.id, task]));
  const differences = [...compare(events, made), ...compareEnds(events, replayed)];
  return differences.length === 0 ? { kind: "same" } : { kind: "differs", differences };
}

function* compare(events: readonly HistoryEvent[], made: ReadonlyMap<number, OpenTask>): Generator<string> {
  const past = new Map<number, string>();
  for (const event of events) {
    if (event.EventType === EVENT.taskScheduled) past.set(event.EventId, `activity ${event.Name}`);
    if (event.EventType === EVENT.timerCreated) past.set(event.EventId, "a timer");
  }
  for (const [id, before] of past) {
    const now = made.get(id);
    if (!now) yield `task ${id} was ${before}, and is not scheduled any more`;
    else if (now.kind !== "retry" && before !== inWords(now))
      yield `task ${id} was ${before}, and is now ${inWords(now)}`;
  }
  for (const [id, now] of made) if (!past.has(id)) yield `task ${id} is ${inWords(now)}, and was not there`;
}

/** A history need not say that it has ended: the local stack's does not. One that ends too early lacks tasks. */
function* compareEnds(events: readonly HistoryEvent[], { end }: Replay): Generator<string> {
  const hasEnded = events.some(({ EventType: type }) => type === EVENT.executionCompleted);
  if (end && "fault" in end) yield `it fails: ${end.fault instanceof Error ? end.fault.message : String(end.fault)}`;
  else if (!end && hasEnded) yield "it waits, where it had ended";
}

function inWords(task: OpenTask): string {
  switch (task.kind) {
    case "activity":
      return `activity ${task.name}`;
    case "timer":
      return "a timer";
    case "retry":
      return "a retry";
    default:
      return task satisfies never;
  }
}

/** By the names in which the storage provider writes them: the library's own, with a capital letter. */
const CODES = new Map(
  Object.entries(EVENT).map(([name, code]) => [`${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, code as number]),
);
const KNOWN: ReadonlySet<number> = new Set(Object.values(EVENT));

function known({ EventType: type, IsPlayed = false, ...event }: StoredEvent): HistoryEvent | undefined {
  const code = typeof type === "number" ? type : CODES.get(type);
  return code !== undefined && KNOWN.has(code) ? { ...event, EventType: code, IsPlayed } : undefined;
}
