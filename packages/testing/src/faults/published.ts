// What a requester has to have received of a job that is over, wherever its host died.

import { levelsOf, type StateRecord, stepOfRun } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";

/** A status message, as it came; what comes again has the same message id. */
export interface Received {
  readonly messageId?: unknown;
  readonly body: Status;
}

interface Status {
  readonly attempt: number;
  readonly status: string;
  readonly step?: string;
}

/** In words; empty where all is as it has to be. */
export function publishedFaults(workflow: Workflow, record: StateRecord, published: readonly Received[]): string[] {
  return [...unpublished(record, published), ...misordered(workflow, published)];
}

/** At least once: that it is received and started, each step that the record says is completed, and its end. */
function unpublished(record: StateRecord, published: readonly Received[]): string[] {
  const received = new Set(published.map(({ body }) => [body.status, body.step].filter(Boolean).join(" ")));
  // A step that was compensated without a result was never known to be completed.
  const completed = Object.entries(record.steps).flatMap(([name, { state, result }]) =>
    state === "Completed" || (state === "Compensated" && result) ? [`StepCompleted ${name}`] : [],
  );
  const ends = { Pending: "", Processing: "", Processed: "Completed", Error: "Failed" };
  const end = { ...ends, Compensated: "Compensated", Cancelled: "Cancelled" }[record.processState];
  return ["Received", "Started", ...completed, end].flatMap((status) =>
    received.has(status) ? [] : [`the client never received ${status}`],
  );
}

/** In sequence: what is received for the first time never belongs before what was received already. */
function misordered(workflow: Workflow, published: readonly Received[]): string[] {
  const { levelOf, isBeside } = levelsIn(workflow);
  const compare = (one: Status, other: Status): number =>
    one.attempt - other.attempt || rankOf(one) - rankOf(other) || levelOf(one) - levelOf(other);
  /** Nobody waits until it is notified that a step beside others is completed: see "The status messages" in docs/how-to/submitting.md. */
  const wasBeside = (status: Status) => status.status === "StepCompleted" && isBeside(status);
  const first = new Map(published.toReversed().map((message) => [message.messageId, message]));
  const received = published.filter((message) => first.get(message.messageId) === message).map(({ body }) => body);
  return received.flatMap((status, index) => {
    const before = received[index - 1];
    // A step goes on while the next attempt takes over what it was begun beside.
    const isTakenOver =
      status.status === "StepCompleted" && before && before.attempt > status.attempt && rankOf(before) < RANKS.length;
    return before && !isTakenOver && !wasBeside(status) && compare(before, status) > 0
      ? [`${inWords(status)} was received after ${inWords(before)}`]
      : [];
  });
}

/** What stands in for a step comes where that would. */
function levelsIn(workflow: Workflow) {
  const standsInFor = new Map(workflow.steps.flatMap(({ name, otherwise }) => (otherwise ? [[otherwise, name]] : [])));
  const steps = workflow.steps
    .filter(({ name }) => !standsInFor.has(name))
    .map((step) => ({ ...step, after: [...new Set(step.after.map((name) => standsInFor.get(name) ?? name))] }));
  const levels = levelsOf({ ...workflow, steps });
  const levelOf = ({ step = "" }: Status): number => {
    const name = standsInFor.get(stepOfRun(step)) ?? stepOfRun(step);
    return levels.findIndex((level) => level.some((one) => one.name === name));
  };
  const isBeside = (status: Status): boolean => {
    const level = levels[levelOf(status)] ?? [];
    return level.length > 1 || level.some(({ forEach }) => forEach !== undefined);
  };
  return { levelOf, isBeside };
}

const RANKS = ["Received", "RetryScheduled", "Started", "StepCompleted"];
const rankOf = ({ status }: Status): number => (RANKS.includes(status) ? RANKS.indexOf(status) : RANKS.length);
const inWords = ({ status, step, attempt }: Status): string => [status, step, `of attempt ${attempt}`].join(" ");
