// What has to be written to turn one record into another (P4): the members that differ, and nothing of what others may have written beside them.

import { type Change, type Guard, type GuardedWrite, isOneWrite, type Lifetime } from "./guarded-write.ts";
import type { StateRecord, StepRecord, StepRun } from "./state-record.ts";

/**
 * A change that is decided without a read of the record.
 * `before`: the record as far as its writer knows it. `guard`: what must hold of the stored record for that to be true.
 */
export interface Unread {
  readonly before: StateRecord;
  readonly after: StateRecord;
  readonly guard: Guard;
  /** The change of all documents of the job in the same write. */
  readonly lifetime?: Lifetime | undefined;
}

/** The write of it; undefined if it takes more changes than one write has room for, or can't be written without the whole record. */
export function writeOf({ before, after, guard, lifetime }: Unread): GuardedWrite | undefined {
  const changes = difference(before, after);
  const write = changes && { guard, changes, ...(lifetime && { lifetime }) };
  return write && isOneWrite(write) ? write : undefined;
}

/** Undefined if one does not follow from the other by members that are set, appended or removed. */
export function difference(before: StateRecord, after: StateRecord): readonly Change[] | undefined {
  const members = Object.keys({ ...before, ...after }) as (keyof StateRecord)[];
  const changes = members.map((member): readonly Change[] | undefined => {
    if (before[member] === after[member]) return [];
    if (member === "steps") return stepsSet(before.steps, after.steps);
    if (member === "history" || member === "outbox") return appended(member, before[member], after[member]);
    if (after[member] !== undefined) return [{ op: "set", path: [member], value: after[member] }];
    return [NULLABLE.has(member) ? { op: "set", path: [member], value: null } : { op: "remove", path: [member] }];
  });
  return changes.every((each) => each !== undefined) ? changes.flat() : undefined;
}

/** They may be gone already, and what is not there can't be removed. */
const NULLABLE: ReadonlySet<keyof StateRecord> = new Set(["deadlineAt", "keptUntil", "overAt", "overInErrorAt"]);

function stepsSet(before: StateRecord["steps"], after: StateRecord["steps"]): readonly Change[] | undefined {
  if (Object.keys(before).some((name) => !Object.hasOwn(after, name))) return undefined;
  return Object.entries(after).flatMap(([name, step]) => stepSet(["steps", name], before[name], step));
}

interface Members {
  readonly [member: string]: unknown;
}

/** A single member is set by itself: of the others its writer may know less than the record has. */
function stepSet(
  path: readonly string[],
  before: StepRecord | StepRun | undefined,
  after: StepRecord | StepRun,
): readonly Change[] {
  if (before === after) return [];
  const [was, is] = [before, after] as (Members | undefined)[];
  const [member, ...others] = Object.keys({ ...was, ...is }).filter((name) => was?.[name] !== is?.[name]);
  const value = member && is?.[member];
  if (!was || !member || others.length > 0 || value === undefined) return [{ op: "set", path, value: after }];
  const isRun = member === "compensation" && was[member] && value;
  if (isRun) return stepSet([...path, member], was[member] as StepRun, value as StepRun);
  return [{ op: "set", path: [...path, member], value }];
}

function appended(
  member: "history" | "outbox",
  before: readonly unknown[],
  after: readonly unknown[],
): readonly Change[] | undefined {
  if (before.some((entry, index) => entry !== after[index])) return undefined;
  return after.slice(before.length).map((value) => ({ op: "append", path: [member], value }));
}
