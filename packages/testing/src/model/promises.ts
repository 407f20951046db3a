// What the client is owed, and whether what it is told is true and comes in order.
import { isInHand, type JobStatus, type StateRecord, stepOfRun } from "@scheduler-agent-supervisor/core/domain";
import type { StatusMessage } from "@scheduler-agent-supervisor/core/messaging";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { isAnnounced } from "./normal-form.ts";
import { isEnded } from "./watch.ts";

/** What has been promised to the client and not yet been told, the oldest first, and how each attempt that ended did. */
export interface Promises {
  readonly owed: readonly string[];
  readonly ends: { readonly [attempt: number]: JobStatus };
}

export const NOTHING_PROMISED: Promises = { owed: [], ends: {} };

/** What the client is owed once a record is written. */
export function promised(promises: Promises, before: StateRecord | undefined, after: StateRecord): Promises {
  const owed = [...promises.owed];
  let { ends } = promises;
  if (!before) owed.push("Received");
  for (const [step, { state, completedIn }] of Object.entries(after.steps)) {
    const isNew =
      state === "Completed" &&
      before !== undefined &&
      isInHand(before.steps[step] ?? null) &&
      after.direction === "forward" &&
      (after.processState === "Processed" || !isEnded(after));
    if (isNew) owed.push(wordOf("StepCompleted", completedIn ?? after.attempt, step));
  }
  for (const { status, attempt, step } of after.outbox) {
    const what = wordOf(status, attempt, step);
    // What could not be told is left as an outbox message: that promises nothing new.
    const isCarried = status === "RetryScheduled" && before && isAnnounced(before) && before.attempt === attempt;
    const isKept = before?.outbox.some((old) => wordOf(old.status, old.attempt, old.step) === what);
    const isNew = status !== "StepCompleted" && !isCarried && !isKept;
    if (isNew && !owed.includes(what)) owed.push(what);
  }
  const retry = wordOf("RetryScheduled", after.attempt);
  if (isAnnounced(after) && !(before && isAnnounced(before) && before.attempt === after.attempt)) owed.push(retry);
  if (isEnded(after) && !(before && isEnded(before) && before.attempt === after.attempt)) {
    const status = endStatus(after);
    if (!owed.includes(wordOf(status, after.attempt))) owed.push(wordOf(status, after.attempt));
    ends = { ...ends, [after.attempt]: status };
  }
  return { owed, ends };
}

/** As the page of the pattern has it, and not as the code says it. */
function endStatus({ processState }: StateRecord): JobStatus {
  if (processState === "Processed") return "Completed";
  return processState === "Compensated" || processState === "Cancelled" ? processState : "Failed";
}

/** What the client is owed once it is told something. */
export function kept(promises: Promises, { status, attempt, step }: StatusMessage): Promises {
  const at = promises.owed.indexOf(wordOf(status, attempt, step));
  return at < 0 ? promises : { ...promises, owed: promises.owed.toSpliced(at, 1) };
}

export function owesCompletion({ owed }: Promises, step: string, attempt: number): boolean {
  return owed.includes(wordOf("StepCompleted", attempt, step));
}

/** What is wrong with telling the client that: it is not true, or comes before what it follows. */
export function faultOfPublishing(
  message: StatusMessage,
  promises: Promises,
  record: StateRecord | undefined,
  workflow: Workflow,
): string | undefined {
  const { status, attempt, step } = message;
  const what = wordOf(status, attempt, step);
  if (!record || !isTrue(message, promises, record)) return `${what} is told, and is not true`;
  const { owed } = promises;
  // What was told before may be told again at any time; but nothing comes before the first Received.
  if (owed[0] === "Received" && what !== "Received") return `${what} is told before Received`;
  if (step !== undefined && isBeside(workflow, step)) return undefined;
  const isInParallel = (other: string) => {
    const [kind, , name = ""] = other.split(":");
    return kind === "StepCompleted" && isBeside(workflow, name);
  };
  const passedOver = owed.slice(0, Math.max(owed.indexOf(what), 0)).find((other) => !isInParallel(other));
  return passedOver === undefined ? undefined : `${what} is told before ${passedOver}`;
}

/**
 * Steps that run in parallel, or beside the compensation of a skipped one, do not wait for each other's messages: see "Sequence" in
 * docs/how-to/submitting.md.
 */
function isBeside({ steps }: Workflow, step: string): boolean {
  const before = (name: string): readonly string[] => {
    const { after = [] } = steps.find((one) => one.name === name) ?? {};
    return [name, ...after.flatMap(before)];
  };
  const own = stepOfRun(step);
  // Runs for the items of a list are side by side.
  if (own !== step) return true;
  return steps.some(({ name, optional, otherwise }) => {
    const mayBeCompensatedBeside = optional === true || otherwise !== undefined;
    return !before(name).includes(own) && (mayBeCompensatedBeside || !before(own).includes(name));
  });
}

/** How a message stands in the list of what is owed. */
export function wordOf(status: JobStatus, attempt: number, step?: string): string {
  if (status === "Received") return status;
  return step ? `${status}:${attempt}:${step}` : `${status}:${attempt}`;
}

function isTrue({ status, attempt, step }: StatusMessage, { ends }: Promises, record: StateRecord): boolean {
  switch (status) {
    case "Received":
      return true;
    case "Started":
      return record.attempt > attempt || (record.attempt === attempt && record.processState !== "Pending");
    case "StepCompleted": {
      const known = record.steps[step ?? ""];
      // A run for an item makes place when the step with its list begins anew.
      if (known === undefined) return step !== undefined && stepOfRun(step) !== step;
      return known.state === "Completed" || known.state === "Compensated" || known.generation > 1;
    }
    case "StepReminder":
      return record.attempt >= attempt && record.steps[step ?? ""]?.assignee !== undefined;
    case "RetryScheduled":
      return record.attempt >= attempt;
    case "Completed":
    case "Failed":
    case "Compensated":
    case "Cancelled":
      return ends[attempt] === status;
    default:
      return status satisfies never;
  }
}
