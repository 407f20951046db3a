// Instances as the HTTP API shows them.
import { partsOf } from "./entities.ts";
import type { EntityRow } from "./entity-store.ts";
import { EventType, endedTask, type HistoryEvent } from "./history.ts";
import { type InstanceRow, isUnfinished } from "./store.ts";

export function statusText(row: InstanceRow, showInput: boolean, history?: readonly object[]): string {
  return JSON.stringify({
    name: row.name,
    instanceId: row.id,
    runtimeStatus: row.status,
    input: showInput ? parsed(row.input) : null,
    customStatus: parsed(row.customStatus),
    output: parsed(row.output),
    createdTime: new Date(row.createdAt).toISOString(),
    lastUpdatedTime: new Date(row.updatedAt).toISOString(),
    ...(history && { historyEvents: history }),
  });
}

/** An element of the list of entities. */
export function entityStatus({ id, state, updatedAt }: EntityRow, showState: boolean): object {
  return {
    entityId: partsOf(id),
    lastOperationTime: new Date(updatedAt).toISOString(),
    state: showState && state !== undefined ? parsed(state) : null,
  };
}

const SHOWN: Readonly<Record<number, string>> = {
  [EventType.executionStarted]: "ExecutionStarted",
  [EventType.taskCompleted]: "TaskCompleted",
  [EventType.taskFailed]: "TaskFailed",
  [EventType.childCompleted]: "SubOrchestrationInstanceCompleted",
  [EventType.childFailed]: "SubOrchestrationInstanceFailed",
  [EventType.timerFired]: "TimerFired",
  [EventType.eventRaised]: "EventRaised",
};

/** As the real API has it: an end stands together with what was scheduled, which is not shown for itself. */
export function shownHistory(row: InstanceRow, history: readonly HistoryEvent[], withResults: boolean): object[] {
  const scheduled = new Map<number, HistoryEvent>();
  const shown: object[] = [];
  for (const event of history) {
    if (event.EventId >= 0) scheduled.set(event.EventId, event);
    const type = SHOWN[event.EventType];
    if (!type) continue;
    const task = scheduled.get(endedTask(event) ?? -1);
    shown.push({
      EventType: type,
      Timestamp: event.Timestamp,
      ...(task && { ScheduledTime: task.Timestamp, FunctionName: task.Name }),
      ...(event.EventType === EventType.executionStarted && { FunctionName: event.Name }),
      ...(event.EventType === EventType.eventRaised && { Name: event.Name }),
      ...(event.Input !== undefined && { Input: parsed(event.Input) }),
      ...(withResults && event.Result !== undefined && { Result: parsed(event.Result) }),
      ...(event.Reason !== undefined && { Reason: event.Reason }),
      ...(event.FireAt !== undefined && { FireAt: event.FireAt }),
    });
  }
  if (row.output !== null && !isUnfinished(row.status)) {
    shown.push({
      EventType: "ExecutionCompleted",
      OrchestrationStatus: row.status,
      Timestamp: new Date(row.updatedAt).toISOString(),
      ...(withResults && { Result: parsed(row.output) }),
    });
  }
  return shown;
}

function parsed(text: string | null): unknown {
  return text === null ? null : (JSON.parse(text) as unknown);
}
