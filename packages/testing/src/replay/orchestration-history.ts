// What a durable engine keeps of an orchestration: its history, in the form in which the library durable-functions gets it.

/** The library's codes of events (durable-functions, HistoryEventType). */
export const EVENT = {
  executionStarted: 0,
  executionCompleted: 1,
  taskScheduled: 4,
  taskCompleted: 5,
  taskFailed: 6,
  timerCreated: 10,
  timerFired: 11,
  orchestratorStarted: 12,
  orchestratorCompleted: 13,
  eventRaised: 15,
} as const;

export interface HistoryEvent {
  readonly EventType: number;
  /** Of what the orchestrator scheduled, its number; -1 of anything else. */
  readonly EventId: number;
  readonly IsPlayed: boolean;
  /** An instant; text where the history was stored as JSON. */
  readonly Timestamp: Date | string;
  readonly Name?: string;
  /** JSON. */
  readonly Input?: string | null;
  readonly TaskScheduledId?: number;
  /** JSON. */
  readonly Result?: string;
  readonly Reason?: string;
  readonly Details?: string;
  readonly TimerId?: number;
  readonly FireAt?: string;
}

const event = (EventType: number, ms: number, EventId = -1) => ({
  EventType,
  EventId,
  IsPlayed: false,
  Timestamp: new Date(ms),
});

/** JSON has no undefined. */
const json = (value: unknown) => JSON.stringify(value ?? null);

export const began = (now: number): HistoryEvent => event(EVENT.orchestratorStarted, now);

export const started = (now: number, name: string, input: unknown): HistoryEvent => ({
  ...event(EVENT.executionStarted, now),
  Name: name,
  Input: json(input),
});

export const scheduledTask = (now: number, id: number, name: string, input: unknown): HistoryEvent => ({
  ...event(EVENT.taskScheduled, now, id),
  Name: name,
  Input: json(input),
});

export const completedTask = (now: number, id: number, result: unknown): HistoryEvent => ({
  ...event(EVENT.taskCompleted, now),
  TaskScheduledId: id,
  Result: json(result),
});

export const failedTask = (now: number, id: number, reason: string): HistoryEvent => ({
  ...event(EVENT.taskFailed, now),
  TaskScheduledId: id,
  Reason: reason,
  Details: "",
});

export const createdTimer = (now: number, id: number, fireAt: number): HistoryEvent => ({
  ...event(EVENT.timerCreated, now, id),
  FireAt: new Date(fireAt).toISOString(),
});

export const firedTimer = (now: number, id: number, fireAt: number): HistoryEvent => ({
  ...event(EVENT.timerFired, now),
  TimerId: id,
  FireAt: new Date(fireAt).toISOString(),
});

export const raised = (now: number, name: string, input: unknown): HistoryEvent => ({
  ...event(EVENT.eventRaised, now),
  Name: name,
  Input: json(input),
});

export const ended = (now: number, output: unknown): HistoryEvent => ({
  ...event(EVENT.executionCompleted, now),
  Result: json(output),
});
