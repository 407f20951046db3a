// Makes an unfinished instance of the database live: at the start of the engine.
import { endedTask, openTasks } from "./history.ts";
import { Instance } from "./instance.ts";
import { type InstanceRow, isUnfinished } from "./instance-store.ts";
import type { TurnParts, Turns } from "./turns.ts";

/** Schedules again what it had scheduled and not seen the end of, and delivers what waits in its inbox. */
export function takeUp({ store, live }: TurnParts, turns: Turns, row: InstanceRow): void {
  const { status } = row;
  if (live.byId(row.id) || !isUnfinished(status)) return;
  const instance = new Instance({ ...row, status });
  const past = store.history(instance.int);
  instance.turns = past.turns;
  live.add(instance);
  const inbox = store.inbox(instance.int);
  const answered = new Set(inbox.map(({ event }) => endedTask(event)));
  for (const event of openTasks(past.events)) {
    if (answered.has(event.EventId)) instance.open.set(event.EventId, {});
    else turns.dispatch(instance, event);
  }
  for (const { n, generation, event } of inbox) {
    instance.hasInbox = true;
    if (generation === null || generation === instance.generation) turns.deliver(instance, { event, inbox: n });
  }
  if (past.turns === 0) turns.transport.start(instance);
}
