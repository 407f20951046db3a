// A command as the history keeps it, and back: after a restart the history says what is still to be done.
import { randomUUID } from "node:crypto";
import type { Command, HttpCall } from "./actions.ts";
import {
  childCreated,
  ENTITY_LOCK,
  ENTITY_RELEASE,
  EventType,
  eventSent,
  type HistoryEvent,
  HTTP_ACTIVITY,
  taskScheduled,
  timerCreated,
} from "./history.ts";
import type { Instance } from "./instance.ts";

/** The content of an `EventSent`: what an entity is asked. `id` is the name under which the answer is raised. */
export interface EntityRequest {
  readonly id: string;
  readonly op: string;
  readonly signal: boolean;
  /** JSON text. */
  readonly input?: string | undefined;
  /** Of a request to lock: all entities that it locks, one after the other. */
  readonly lockSet?: readonly string[];
  /** Of a request to lock: how many of them are locked. */
  readonly locked?: number;
}

export function eventOfCommand(command: Command, instance: Instance, at: Date): HistoryEvent {
  const { id } = command;
  switch (command.kind) {
    case "activity":
      return taskScheduled(at, id, command.name, command.input);
    case "http":
      return taskScheduled(at, id, HTTP_ACTIVITY, JSON.stringify(command.request));
    case "timer":
      return timerCreated(at, id, command.fireAt);
    case "child": {
      const childId = command.instanceId || `${instance.id}:${instance.int}:${instance.generation}:${id}`;
      return childCreated(at, id, command.name, childId, command.input);
    }
    case "entity": {
      const { entity, operation, input, isSignal } = command;
      const request: EntityRequest = { id: randomUUID(), op: operation, signal: isSignal, input };
      return eventSent(at, id, entity, operation, JSON.stringify(request));
    }
    case "lock": {
      const { entities, requestId } = command;
      const request: EntityRequest = { id: requestId, op: ENTITY_LOCK, signal: false, lockSet: entities, locked: 0 };
      return eventSent(at, id, entities[0] ?? "", ENTITY_LOCK, JSON.stringify(request));
    }
    case "release": {
      const request: EntityRequest = { id: randomUUID(), op: ENTITY_RELEASE, signal: true };
      return eventSent(at, id, command.entity, ENTITY_RELEASE, JSON.stringify(request));
    }
    default:
      return command satisfies never;
  }
}

/** What runs outside the database once the event is committed; sub-orchestrations and entities are woken by other means. */
export type Dispatch =
  | { readonly kind: "activity"; readonly name: string; readonly input: string }
  | { readonly kind: "http"; readonly request: HttpCall }
  | { readonly kind: "timer"; readonly fireAt: number }
  | { readonly kind: "none" };

export function dispatchOfEvent(event: HistoryEvent): Dispatch {
  const { Name = "", Input, FireAt = "" } = event;
  switch (event.EventType) {
    case EventType.taskScheduled:
      if (Name === HTTP_ACTIVITY) return { kind: "http", request: JSON.parse(Input ?? "null") as HttpCall };
      return { kind: "activity", name: Name, input: Input ?? "null" };
    case EventType.timerCreated:
      return { kind: "timer", fireAt: Date.parse(FireAt) };
    default:
      return { kind: "none" };
  }
}
