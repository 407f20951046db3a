// A command as the history keeps it, and back: after a restart the history says what is still to be done.
import type { Command } from "./actions.ts";
import { childCreated, EventType, type HistoryEvent, taskScheduled, timerCreated } from "./history.ts";
import type { Instance } from "./instance.ts";

export function eventOfCommand(command: Command, instance: Instance, at: Date): HistoryEvent {
  const { id } = command;
  switch (command.kind) {
    case "activity":
      return taskScheduled(at, id, command.name, command.input);
    case "timer":
      return timerCreated(at, id, command.fireAt);
    case "child": {
      const childId = command.instanceId || `${instance.id}:${instance.int}:${instance.generation}:${id}`;
      return childCreated(at, id, command.name, childId, command.input);
    }
    default:
      return command satisfies never;
  }
}

/** What runs outside the database once the event is committed; sub-orchestrations are started by other means. */
type Dispatch =
  | { readonly kind: "activity"; readonly name: string; readonly input: string }
  | { readonly kind: "timer"; readonly fireAt: number }
  | { readonly kind: "none" };

export function dispatchOfEvent(event: HistoryEvent): Dispatch {
  const { Name = "", Input, FireAt = "" } = event;
  switch (event.EventType) {
    case EventType.taskScheduled:
      return { kind: "activity", name: Name, input: Input ?? "null" };
    case EventType.timerCreated:
      return { kind: "timer", fireAt: Date.parse(FireAt) };
    default:
      return { kind: "none" };
  }
}
