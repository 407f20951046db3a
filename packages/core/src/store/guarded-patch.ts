// A guarded write as a patch of Cosmos DB: the condition and the operations.

import { type PatchOperation, PatchOperationType } from "@azure/cosmos";
import type { Change, Guard } from "../domain/record/guarded-write.ts";
import { type Direction, RECORD_VERSION } from "../domain/record/state-record.ts";

export function conditionOf(guard: Guard): string {
  const terms = [
    `${documentPath("schemaVersion")} = ${RECORD_VERSION}`,
    oneOf(documentPath("processState"), guard.processStates),
  ];
  if (guard.lockedBy !== undefined) terms.push(`${documentPath("lockedBy")} = ${JSON.stringify(guard.lockedBy)}`);
  if (guard.attempt !== undefined) terms.push(`${documentPath("attempt")} = ${guard.attempt}`);
  if (guard.step) {
    const { name, direction, attempt, states } = guard.step;
    terms.push(oneOf(runPath(name, direction, "state"), states));
    terms.push(`${runPath(name, direction, "attempt")} = ${attempt}`);
  }
  if (guard.siblings) {
    const { names, direction, allDone } = guard.siblings;
    const done = names.map((name) => doneCondition(name, direction)).join(" and ");
    terms.push(allDone ? `(${done})` : `not (${done})`);
  }
  if (guard.dueBy !== undefined) terms.push(`${documentPath("dueAt")} <= ${JSON.stringify(guard.dueBy)}`);
  return `from c where ${terms.join(" and ")}`;
}

function oneOf(path: string, values: readonly string[]): string {
  return `(${values.map((value) => `${path} = "${value}"`).join(" or ")})`;
}

function runPath(step: string, direction: Direction, member: "state" | "attempt"): string {
  return documentPath("steps", step, ...(direction === "forward" ? [member] : ["compensation", member]));
}

/** The same as `isClosed` in the domain. A compensation that has not begun has no state, so the equivalent value is written out. */
function doneCondition(step: string, direction: Direction): string {
  const state = runPath(step, direction, "state");
  if (direction === "forward") return `(${state} = "Completed" or ${state} = "Skipped")`;
  return `(IS_DEFINED(${state}) and (${state} = "Completed" or ${state} = "Failed"))`;
}

export function patchOperationOf(change: Change): PatchOperation {
  const path = `/${change.path.join("/")}`;
  switch (change.op) {
    case "set":
      return { op: PatchOperationType.set, path, value: change.value };
    case "append":
      return { op: PatchOperationType.add, path: `${path}/-`, value: change.value };
    case "remove":
      return { op: PatchOperationType.remove, path };
    default:
      return change satisfies never;
  }
}

/** A path in a document, in the syntax of a condition or a query. Always quoted: a step's name may be a keyword there, such as `job` and `value`. */
export function documentPath(...names: readonly string[]): string {
  return `c${names.map((name) => `[${JSON.stringify(name)}]`).join("")}`;
}
