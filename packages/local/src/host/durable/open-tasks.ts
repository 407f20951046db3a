// When an orchestration is over: not before every task that it set going has ended, whatever its code has returned.
import { type HistoryEvent, isScheduling } from "./history.ts";
import type { Instance } from "./instance.ts";
import type { Turn } from "./replay.ts";

/**
 * The turn as it counts: without its end while an activity, a sub-orchestration or a timer that was not cancelled is open.
 * DurableTask.Core, TaskOrchestrationExecutor: "if (!this.context.HasOpenTasks)" stands before every end but a failed replay's.
 */
export function untilAllEnded(instance: Instance, turn: Turn, scheduled: readonly HistoryEvent[]): Turn {
  const { end } = turn;
  if (!end || (end.kind === "failed" && end.atOnce) || !hasOpenTasks(instance, turn, scheduled)) return turn;
  // Events for the next generation stay in the inbox, and out of this one's history.
  const later = new Set(turn.leftOver.map(({ event }) => event));
  return { ...turn, end: undefined, events: turn.events.filter((event) => !later.has(event)) };
}

function hasOpenTasks(instance: Instance, turn: Turn, scheduled: readonly HistoryEvent[]): boolean {
  const isOpen = (id: number) => !instance.cancelled.has(id) && !turn.cancelled.includes(id);
  for (const id of instance.open.keys()) if (isOpen(id)) return true;
  return scheduled.some((event) => isScheduling(event) && isOpen(event.EventId));
}
