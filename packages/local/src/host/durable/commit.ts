// Writes a turn in one transaction: history, state, sub-orchestrations, and the result for a parent.
import type { FunctionApp } from "../contract.ts";
import { unknownFunction } from "./activities.ts";
import { orchestrationDetails } from "./activity-failure.ts";
import { childCompleted, childFailed, EventType, type HistoryEvent } from "./history.ts";
import { type Arrival, accept, type Delivery, Instance, type LiveInstances } from "./instance.ts";
import type { EndedStatus, InstanceStore, ParentLink } from "./instance-store.ts";
import type { Turn } from "./replay.ts";
import type { End } from "./session.ts";

/** What follows from a committed turn in memory. */
export interface Aftermath {
  readonly children: readonly Instance[];
  readonly deliveries: readonly Delivery[];
}

export interface CommitParts {
  readonly app: FunctionApp;
  readonly store: InstanceStore;
  readonly live: LiveInstances;
}

/**
 * To be called inside `Database.write`. `scheduled` are the turn's commands as events, made beforehand, for whatever
 * throws in here takes back the writes of others too. Undefined where the instance was ended from outside while the turn ran.
 */
export function writeTurn(
  parts: CommitParts,
  instance: Instance,
  turn: Turn,
  scheduled: readonly HistoryEvent[],
  arrivals: readonly Arrival[],
): Aftermath | undefined {
  if (instance.ended) return undefined;
  const { store } = parts;
  const { at, end } = turn;
  for (const arrival of arrivals) {
    if (arrival.inbox !== undefined && !turn.leftOver.includes(arrival)) store.removeFromInbox(arrival.inbox);
  }
  const children: Instance[] = [];
  const deliveries: Delivery[] = [];
  for (const event of scheduled) {
    if (event.EventType !== EventType.childCreated) continue;
    const child = createChild(parts, instance, event, at);
    if (child instanceof Instance) children.push(child);
    else deliveries.push({ to: instance, arrival: child });
  }
  const events = [...turn.events, ...scheduled];
  if (end?.kind === "continued") {
    orphan(store, instance);
    store.continueAsNew(instance.int, instance.generation + 1, end.input, turn.customStatus, at.getTime());
  } else {
    store.appendHistory(instance.int, instance.turns, events);
    if (end) deliveries.push(...writeEnd(parts, instance, end, turn.customStatus, at));
    else if (instance.turns === 0 || turn.customStatus !== instance.customStatus) {
      const status = instance.status === "Suspended" ? "Suspended" : "Running";
      store.setProgress(instance.int, status, turn.customStatus, at.getTime());
    }
  }
  return { children, deliveries };
}

/** An end decided by the orchestrator, or by a client's terminate. */
type FinalEnd = Exclude<End, { kind: "continued" }> | { readonly kind: "terminated"; readonly reason: string };

/** To be called inside `Database.write`: records the end and tells the parent. `customStatus` null leaves it as it is. */
export function writeEnd(
  { store, live }: Pick<CommitParts, "store" | "live">,
  instance: Instance,
  end: FinalEnd,
  customStatus: string | null,
  at: Date,
): Delivery[] {
  instance.ended = true;
  const { status, output, answer } = recordOf(end, instance, at);
  store.end(instance.int, status, output, customStatus, at.getTime());
  if (instance.hasInbox) store.emptyInbox(instance.int);
  orphan(store, instance);
  const parent = live.waiting(instance.parent);
  return parent ? [{ to: parent, arrival: accept(store, parent, answer) }] : [];
}

/** To be called inside `Database.write`: what it had set going and does not wait for any more runs to its end, also after a restart. */
export function orphan(store: InstanceStore, { int, generation, open }: Instance): void {
  for (const [task, { work }] of open) if (work) store.addOrphan({ int, generation, task }, work);
}

interface EndRecord {
  readonly status: EndedStatus;
  /** JSON text. */
  readonly output: string;
  /** What the parent is told, if there is one. */
  readonly answer: HistoryEvent;
}

function recordOf(end: FinalEnd, { name, parent }: Instance, at: Date): EndRecord {
  const taskId = parent?.taskId ?? 0;
  switch (end.kind) {
    case "completed":
      return { status: "Completed", output: end.output, answer: childCompleted(at, taskId, end.output) };
    case "failed": {
      const reason = `Orchestrator function '${name}' failed: ${end.reason}`;
      const answer = childFailed(at, taskId, reason, orchestrationDetails(end.reason));
      return { status: "Failed", output: JSON.stringify(reason), answer };
    }
    case "terminated": {
      const answer = childFailed(at, taskId, `Orchestrator function '${name}' was terminated: ${end.reason}`, "");
      return { status: "Terminated", output: JSON.stringify(end.reason), answer };
    }
    default:
      return end satisfies never;
  }
}

/** The child, or where it cannot be started the failure that the parent is to see. */
function createChild({ app, store }: CommitParts, parent: Instance, event: HistoryEvent, at: Date): Instance | Arrival {
  const { EventId: taskId, Name: name = "", InstanceId: id = "", Input: input = null } = event;
  const refuse = (reason: string) => accept(store, parent, childFailed(at, taskId, reason, ""));
  if (app.functions.get(name)?.trigger.type !== "orchestrationTrigger") {
    return refuse(unknownFunction(app, "orchestration", name));
  }
  const link: ParentLink = { int: parent.int, id: parent.id, generation: parent.generation, taskId };
  const creation = store.create({ id, name, input, at: at.getTime(), parent: link });
  if (creation.kind === "exists") {
    return refuse(
      `A sub-orchestration with the id '${id}' cannot start: an instance of that id is ${creation.status}.`,
    );
  }
  return Instance.started(creation.int, { id, name, input, at: at.getTime(), parent: link });
}
