// The history events of Durable's out-of-process protocol: their codes, and a constructor for each that the engine writes.

export const EventType = {
  executionStarted: 0,
  taskScheduled: 4,
  taskCompleted: 5,
  taskFailed: 6,
  childCreated: 7,
  childCompleted: 8,
  childFailed: 9,
  timerCreated: 10,
  timerFired: 11,
  orchestratorStarted: 12,
  eventRaised: 15,
} as const;

/** One event. Which optional members are set follows from the type; `Result`, `Input` are JSON text, never undefined in a completion. */
export interface HistoryEvent {
  readonly EventType: number;
  /** The task id for what the orchestrator scheduled, otherwise -1. */
  readonly EventId: number;
  readonly Timestamp: Date | string;
  IsPlayed: boolean;
  readonly Name?: string;
  readonly Input?: string | null;
  readonly InstanceId?: string;
  readonly TaskScheduledId?: number;
  readonly Result?: string;
  readonly Reason?: string;
  readonly Details?: string;
  readonly TimerId?: number;
  readonly FireAt?: string;
}

/** The `EventId` of what no orchestrator has scheduled. */
export const NO_ID = -1;

let lastMs = Number.NaN;
let lastText = "";

/** As JSON has it. The events of a turn are of one instant, and a Date inside of what is made JSON costs a call each time. */
export function timestampText({ Timestamp: at }: Pick<HistoryEvent, "Timestamp">): string {
  if (typeof at === "string") return at;
  const ms = at.getTime();
  if (ms !== lastMs) {
    lastMs = ms;
    lastText = at.toISOString();
  }
  return lastText;
}

function event(type: number, at: Date, id: number = NO_ID) {
  return { EventType: type, EventId: id, IsPlayed: false, Timestamp: at };
}

export const orchestratorStarted = (at: Date): HistoryEvent => event(EventType.orchestratorStarted, at);

export const executionStarted = (at: Date, name: string, input: string | null): HistoryEvent => ({
  ...event(EventType.executionStarted, at),
  Name: name,
  Input: input,
});

export const taskScheduled = (at: Date, id: number, name: string, input: string): HistoryEvent => ({
  ...event(EventType.taskScheduled, at, id),
  Name: name,
  Input: input,
});

export const taskCompleted = (at: Date, id: number, result: string): HistoryEvent => ({
  ...event(EventType.taskCompleted, at),
  TaskScheduledId: id,
  Result: result,
});

export const taskFailed = (at: Date, id: number, reason: string, details: string): HistoryEvent => ({
  ...event(EventType.taskFailed, at),
  TaskScheduledId: id,
  Reason: reason,
  Details: details,
});

export const childCreated = (
  at: Date,
  id: number,
  name: string,
  instanceId: string,
  input: string | null,
): HistoryEvent => ({
  ...event(EventType.childCreated, at, id),
  Name: name,
  InstanceId: instanceId,
  Input: input,
});

export const childCompleted = (at: Date, id: number, result: string): HistoryEvent => ({
  ...event(EventType.childCompleted, at),
  TaskScheduledId: id,
  Result: result,
});

export const childFailed = (at: Date, id: number, reason: string, details: string): HistoryEvent => ({
  ...event(EventType.childFailed, at),
  TaskScheduledId: id,
  Reason: reason,
  Details: details,
});

export const timerCreated = (at: Date, id: number, fireAt: number): HistoryEvent => ({
  ...event(EventType.timerCreated, at, id),
  FireAt: new Date(fireAt).toISOString(),
});

export const timerFired = (at: Date, id: number, fireAt: number): HistoryEvent => ({
  ...event(EventType.timerFired, at),
  TimerId: id,
  FireAt: new Date(fireAt).toISOString(),
});

export const eventRaised = (at: Date, name: string, input: string | null): HistoryEvent => ({
  ...event(EventType.eventRaised, at),
  Name: name,
  Input: input,
});

/** The id of the task that this event ends, undefined for events that end none. */
export function endedTask(event: HistoryEvent): number | undefined {
  switch (event.EventType) {
    case EventType.taskCompleted:
    case EventType.taskFailed:
    case EventType.childCompleted:
    case EventType.childFailed:
      return event.TaskScheduledId;
    case EventType.timerFired:
      return event.TimerId;
    default:
      return undefined;
  }
}

/** The tasks that were scheduled and have not ended: the work to take up again after a restart. */
export function openTasks(history: readonly HistoryEvent[]): HistoryEvent[] {
  const open = new Map<number, HistoryEvent>();
  for (const past of history) {
    if (isScheduling(past)) open.set(past.EventId, past);
    const ended = endedTask(past);
    if (ended !== undefined) open.delete(ended);
  }
  return [...open.values()];
}

export function isScheduling({ EventType: type }: HistoryEvent): boolean {
  return type === EventType.taskScheduled || type === EventType.childCreated || type === EventType.timerCreated;
}
