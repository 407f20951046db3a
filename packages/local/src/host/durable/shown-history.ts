// The history of an instance as the HTTP API shows it: the end of a task stands together with what was scheduled, which is not shown for itself.
// (Durable extension: DurableClient, GetDurableOrchestrationStatusAsync.)
import { EventType, endedTask, type HistoryEvent } from "./history.ts";
import { type InstanceRow, isUnfinished } from "./instance-store.ts";

interface HistoryOptions {
  readonly withInputs: boolean;
  readonly withResults: boolean;
}

export function shownHistory(row: InstanceRow, history: readonly HistoryEvent[], options: HistoryOptions): object[] {
  const scheduled = new Map(history.flatMap((event) => (event.EventId >= 0 ? [[event.EventId, event] as const] : [])));
  const ended = new Set(history.map(endedTask));
  const shown = history.flatMap((event) => {
    const isTask = event.EventType === EventType.taskScheduled || event.EventType === EventType.childCreated;
    if (isTask && ended.has(event.EventId)) return [];
    const show = SHOWN[event.EventType];
    if (!show) return [];
    const { EventType: type, ...more } = show(event, { ...options, row, task: scheduled.get(endedTask(event) ?? -1) });
    return [{ EventType: type, ...more, Timestamp: event.Timestamp }];
  });
  if (row.output !== null && !isUnfinished(row.status)) shown.push(executionCompleted(row, options));
  return shown;
}

interface Surroundings extends HistoryOptions {
  readonly row: InstanceRow;
  /** What this event is the end of. */
  readonly task: HistoryEvent | undefined;
}

interface Shown {
  readonly EventType: string;
  readonly [member: string]: unknown;
}

type Show = (event: HistoryEvent, surroundings: Surroundings) => Shown;

const completed =
  (type: string): Show =>
  ({ Result = "null" }, { withResults, withInputs, task }) => ({
    EventType: type,
    ...(withResults && { Result: JSON.parse(Result) as unknown }),
    ...endOf(task, withInputs),
  });

const failed =
  (type: string): Show =>
  ({ Reason, Details }, { withInputs, task }) => ({
    EventType: type,
    Reason,
    Details,
    FailureDetails: null,
    ...endOf(task, withInputs),
  });

const SHOWN: Readonly<Record<number, Show>> = {
  [EventType.executionStarted]: ({ Input, Name }, { withInputs, row }) => ({
    EventType: "ExecutionStarted",
    ...(withInputs && { Input }),
    Correlation: null,
    ParentTraceContext: null,
    ScheduledStartTime: null,
    Generation: row.generation,
    FunctionName: Name,
  }),
  [EventType.taskScheduled]: ({ Name }, { withInputs }) => ({
    EventType: "TaskScheduled",
    Name,
    ...(withInputs && { Input: null }),
    ParentTraceContext: null,
  }),
  [EventType.taskCompleted]: completed("TaskCompleted"),
  [EventType.taskFailed]: failed("TaskFailed"),
  [EventType.childCreated]: ({ Name, InstanceId }, { withInputs }) => ({
    EventType: "SubOrchestrationInstanceCreated",
    Name,
    InstanceId,
    ...(withInputs && { Input: null }),
  }),
  [EventType.childCompleted]: completed("SubOrchestrationInstanceCompleted"),
  [EventType.childFailed]: failed("SubOrchestrationInstanceFailed"),
  [EventType.timerCreated]: ({ FireAt }) => ({ EventType: "TimerCreated", FireAt }),
  [EventType.timerFired]: ({ FireAt }) => ({ EventType: "TimerFired", FireAt }),
  [EventType.eventRaised]: ({ Name, Input }, { withInputs }) => ({
    EventType: "EventRaised",
    Name,
    ...(withInputs && { Input }),
    ParentTraceContext: null,
  }),
};

/** The real host's storage keeps no inputs of tasks in the history. */
function endOf(task: HistoryEvent | undefined, withInputs: boolean): object {
  if (!task) return {};
  const ScheduledTime = new Date(task.Timestamp).toISOString().replace("Z", "+00:00");
  return { ScheduledTime, FunctionName: task.Name, ...(withInputs && { Input: null }) };
}

function executionCompleted(row: InstanceRow, { withResults }: HistoryOptions) {
  return {
    EventType: "ExecutionCompleted",
    OrchestrationStatus: row.status,
    ...(withResults && { Result: JSON.parse(row.output ?? "null") as unknown }),
    FailureDetails: null,
    Timestamp: new Date(row.updatedAt).toISOString(),
  };
}
