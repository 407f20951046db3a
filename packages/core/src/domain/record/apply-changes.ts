// The meaning of a guarded write, for stores that have to apply it themselves.

import type { Change, Guard } from "./guarded-write.ts";
import { isClosed, runOf } from "./plan.ts";
import type { StateRecord } from "./state-record.ts";

export function holds(guard: Guard, record: StateRecord): boolean {
  return (
    guard.processStates.includes(record.processState) &&
    (guard.lockedBy === undefined || record.lockedBy === guard.lockedBy) &&
    (guard.attempt === undefined || record.attempt === guard.attempt) &&
    stepIs(guard.step, record) &&
    siblingsAre(guard.siblings, record) &&
    isDueBy(guard.dueBy, record)
  );
}

function stepIs(step: Guard["step"], record: StateRecord): boolean {
  if (!step) return true;
  const run = runOf(record.steps[step.name], step.direction);
  return run !== null && run.attempt === step.attempt && step.states.includes(run.state);
}

function siblingsAre(siblings: Guard["siblings"], record: StateRecord): boolean {
  if (!siblings) return true;
  return siblings.names.every((name) => isClosed(record.steps[name], siblings.direction)) === siblings.allDone;
}

function isDueBy(dueBy: Guard["dueBy"], { dueAt }: StateRecord): boolean {
  return dueBy === undefined || (dueAt !== undefined && dueAt <= dueBy);
}

/** The record with the changes applied. Unchanged parts are shared with the given record, which is not modified. */
export function applyChanges(record: StateRecord, changes: readonly Change[]): StateRecord {
  const copy = { ...record } as unknown as Node;
  const copies = new Set<unknown>([copy]);
  for (const change of changes) apply(copy, change, copies);
  return copy as unknown as StateRecord;
}

type Node = { [name: string]: unknown };

/** @param copies the objects that may be changed in place */
function apply(root: Node, change: Change, copies: Set<unknown>): void {
  const last = change.path.at(-1);
  if (last === undefined) throw new Error("a change needs a path");
  let parent = root;
  for (const name of change.path.slice(0, -1)) {
    const child = parent[name];
    if (child === null || typeof child !== "object")
      throw new Error(`no member ${name} on the path ${change.path.join("/")}`);
    if (!copies.has(child)) {
      parent[name] = Array.isArray(child) ? [...child] : { ...child };
      copies.add(parent[name]);
    }
    parent = parent[name] as Node;
  }
  switch (change.op) {
    case "set":
      parent[last] = change.value;
      break;
    case "append":
      parent[last] = [...(parent[last] as unknown[]), change.value];
      break;
    case "remove":
      delete parent[last];
      break;
    default:
      change satisfies never;
  }
}
