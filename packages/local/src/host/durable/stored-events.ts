// The events of one turn as SQLite keeps them: a line of JSON, and after it the long texts as they are, without a second quoting.
import { EventType, type HistoryEvent, NO_ID, timestampText } from "./history.ts";

/** The members that are JSON text already, in the order in which they stand after the line. */
const TEXTS = ["Input", "Result", "Details"] as const;

type StoredEvent = { -readonly [member in keyof HistoryEvent]?: HistoryEvent[member] | number };

/** The input of the orchestration is left out: it stands in the row of the instance. */
export function writeEvents(events: readonly HistoryEvent[]): string {
  let texts = "";
  const lengthOf = (text: string | null | undefined) => {
    if (typeof text !== "string") return text;
    texts += text;
    return text.length;
  };
  // JSON leaves out what is undefined.
  const stored = events.map((event) => ({
    ...event,
    IsPlayed: undefined,
    EventId: event.EventId === NO_ID ? undefined : event.EventId,
    Timestamp: timestampText(event),
    Input: event.EventType === EventType.executionStarted ? undefined : lengthOf(event.Input),
    Result: lengthOf(event.Result),
    Details: lengthOf(event.Details),
  }));
  return `${JSON.stringify(stored)}\n${texts}`;
}

/** @param input of the orchestration */
export function readEvents(text: string, input: string | null): HistoryEvent[] {
  const end = text.indexOf("\n");
  let at = end + 1;
  return (JSON.parse(text.slice(0, end)) as StoredEvent[]).map((stored) => {
    const event: StoredEvent = { EventId: NO_ID, ...stored, IsPlayed: false };
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
