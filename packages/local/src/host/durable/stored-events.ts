// The events of one turn as SQLite keeps them: a line of JSON, and after it the long texts as they are, without a second quoting.
import { EventType, type HistoryEvent } from "./history.ts";

/** The members that are JSON text already, in the order in which they stand after the line. */
const TEXTS = ["Input", "Result", "Details"] as const;

type StoredEvent = { -readonly [member in keyof HistoryEvent]?: HistoryEvent[member] | number };

/** The input of the orchestration is left out: it stands in the row of the instance. */
export function textOf(events: readonly HistoryEvent[]): string {
  let texts = "";
  const stored = events.map(({ IsPlayed: _, ...event }): StoredEvent => {
    const kept: StoredEvent = event;
    if (kept.EventId === -1) delete kept.EventId;
    if (kept.EventType === EventType.executionStarted) delete kept.Input;
    for (const name of TEXTS) {
      const text = kept[name];
      if (typeof text !== "string") continue;
      kept[name] = text.length;
      texts += text;
    }
    return kept;
  });
  return `${JSON.stringify(stored)}\n${texts}`;
}

/** @param input of the orchestration. A text without a second line is what version 0.1 wrote: the events in plain JSON. */
export function eventsOf(text: string, input: string | null): HistoryEvent[] {
  const end = text.indexOf("\n");
  if (end < 0) return JSON.parse(text) as HistoryEvent[];
  let at = end + 1;
  return (JSON.parse(text.slice(0, end)) as StoredEvent[]).map((stored) => {
    const event: StoredEvent = { EventId: -1, ...stored, IsPlayed: false };
    for (const name of TEXTS) {
      const length = event[name];
      if (typeof length !== "number") continue;
      event[name] = text.slice(at, at + length);
      at += length;
    }
    if (event.EventType === EventType.executionStarted) event.Input = input;
    return event as HistoryEvent;
  });
}
