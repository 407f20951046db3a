// Compares what a replayed orchestrator scheduled with what its history says it scheduled before.
import type { Command } from "./actions.ts";
import { EventType, type HistoryEvent, isScheduling } from "./history.ts";

type Comparison =
  | { readonly kind: "same"; readonly fresh: Command[] }
  | { readonly kind: "differs"; readonly message: string };

/** Splits the commands of a replay into those that the history already holds and the fresh ones. */
export function compareWithHistory(
  name: string,
  history: readonly HistoryEvent[],
  commands: readonly Command[],
): Comparison {
  const past = new Map<number, string>();
  for (const event of history) if (isScheduling(event)) past.set(event.EventId, describeEvent(event));
  const fresh: Command[] = [];
  for (const command of commands) {
    const before = past.get(command.id);
    past.delete(command.id);
    const now = describeCommand(command);
    if (before === undefined) fresh.push(command);
    else if (before !== now) return differs(name, `task ${command.id} was ${before} and is now ${now}`);
  }
  for (const [id, before] of past) return differs(name, `task ${id} was ${before} and is not scheduled any more`);
  return { kind: "same", fresh };
}

function differs(name: string, what: string): Comparison {
  return {
    kind: "differs",
    message:
      `Non-deterministic orchestrator "${name}": replayed against its history, ${what}. ` +
      "An orchestrator must do the same each time it is replayed: no Date.now, Math.random, I/O or process state, " +
      "and no change of its code while instances of it are under way.",
  };
}

export function describeEvent(event: HistoryEvent): string {
  switch (event.EventType) {
    case EventType.taskScheduled:
      return `activity "${event.Name}"`;
    case EventType.childCreated:
      return `sub-orchestration "${event.Name}"`;
    default:
      return "a timer";
  }
}

export function describeCommand(command: Command): string {
  switch (command.kind) {
    case "activity":
      return `activity "${command.name}"`;
    case "child":
      return `sub-orchestration "${command.name}"`;
    case "timer":
      return "a timer";
    default:
      return command satisfies never;
  }
}
