// The jobs of a filter: as a query, whether an index answers it, and for stores that search their records themselves.
import { documentPath } from "@scheduler-agent-supervisor/core/create-app";
import { hasEnded, isInHand, type StateRecord, type StepRun } from "@scheduler-agent-supervisor/core/domain";
import { type JobFilter, type JobQuery, listedMembers, type TimeFilter } from "./job-list.ts";
import type { Window } from "./job-scan.ts";
import { isRetried, retriedCondition, waitsCondition, waitsFor as waitsForIt } from "./waits-for.ts";

/** An identifier, as the workflow's check requires: it becomes part of the query's text. */
const STEP_NAME = /^[A-Za-z][A-Za-z0-9]*$/;

type Value = string | number | string[];

interface Query {
  readonly query: string;
  readonly parameters: { readonly name: string; readonly value: Value }[];
}

/** The clocks of senders, the broker and the app differ by less than this. */
const CLOCKS_APART_MS = 3_600_000;

/** Each in the syntax of the query. */
const TIME_PATHS: { readonly [of in TimeFilter["of"]]: string } = {
  received: "c.createdAt",
  sent: "(IS_STRING(c.enqueuedAt) ? c.enqueuedAt : c.createdAt)",
  changed: "c.updatedAt",
  ended:
    '(c.processState IN ("Compensated", "Cancelled", "Error") ? c.error.at : (IS_STRING(c.overAt) ? c.overAt : c.updatedAt))',
};

/**
 * Pages by position and not by Cosmos DB's continuation token: a token is valid only for one version of the SDK and one partition layout. A
 * position stays valid, and a repeated page shows the same jobs.
 */
export function listQuery(filter: JobQuery, window?: Window): Query {
  const { query, parameters } = conditionsOf(filter, window);
  return { query: `SELECT ${listedMembers()} FROM c WHERE ${query} ORDER BY c.createdAt DESC`, parameters };
}

/**
 * The number of jobs of the window that the index alone can't exclude. Almost all jobs are Processed: the index of that state has more entries than
 * that of the window's time.
 */
export function countQuery({ processState, kind }: JobFilter, window: Window): Query {
  const narrowing = processState === "Processed" ? {} : { processState, kind };
  const { query, parameters } = conditionsOf(narrowing, window);
  return { query: `SELECT VALUE COUNT(1) FROM c WHERE ${query}`, parameters };
}

/** A row for each job of the filter, up to `most`: a COUNT would visit them all, however many have ended. */
export function someQuery(filter: JobFilter, most: number): Query {
  const { query, parameters } = conditionsOf(filter, undefined);
  return { query: `SELECT TOP ${most} VALUE 1 FROM c WHERE ${query}`, parameters };
}

/** Whether the indexes find the jobs; otherwise the documents must be searched. */
export function isIndexed({ workflow, version, step, text, time, key, waitsFor }: JobFilter): boolean {
  // The search then reads the jobs with that key, or those that have not ended.
  if (key || waitsFor) return true;
  const isMore = workflow !== undefined || version !== undefined || step !== undefined || text !== undefined;
  return !isMore && (time === undefined || time.of === "received");
}

/** When matching jobs can have been recorded: none was changed or ended before that, and few were recorded long after they were sent. */
export function spanOf({ time, after }: JobQuery, now: number): Window {
  const at = (instant: string | undefined, otherwise: number) => (instant ? Date.parse(instant) : otherwise);
  const bounded = time?.of === "received" || time?.of === "sent";
  const from = bounded ? Math.max(0, at(time?.from, 0) - CLOCKS_APART_MS) : 0;
  const to = time?.of === "sent" ? now : at(time?.to, now);
  return { after: from, upTo: Math.min(to + CLOCKS_APART_MS, at(after?.createdAt, Number.POSITIVE_INFINITY)) };
}

type Filter = JobFilter & Pick<JobQuery, "after">;

function conditionsOf(filter: Filter, window: Window | undefined): Query {
  const { processState, kind, workflow, version, step, text, time, key, waitsFor, after } = filter;
  const conditions: string[] = [];
  const parameters: Query["parameters"] = [];
  const add = (condition: string, values: { [name: string]: Value } = {}): void => {
    conditions.push(condition);
    for (const [name, value] of Object.entries(values)) parameters.push({ name: `@${name}`, value });
  };
  // Together with the state it has its own index (job-gauges.ts).
  if (kind) add("c.error.kind = @kind", { kind });
  if (processState) add("c.processState = @state", { state: processState });
  if (key) add(`c.keys.${key.name} = @key`, { key: key.value });
  if (waitsFor) add(waitsCondition(waitsFor), "name" in waitsFor ? { waitsFor: waitsFor.name } : {});
  if (workflow) add("c.workflow.name = @workflow", { workflow });
  if (version !== undefined) add("c.workflow.version = @version", { version });
  if (step) {
    if (!STEP_NAME.test(step)) throw new Error(`${step} is no name of a step`);
    const states = `("Scheduled", "Running", "Awaiting", "Failed")`;
    const [run, reversed] = [documentPath("steps", step), documentPath("steps", step, "compensation")];
    const at = (path: string) => `(${path}.state IN ${states} OR ${retriedCondition(path)})`;
    const forward = at(run);
    const compensation = at(reversed);
    add(`(${forward} OR ${compensation} OR ${documentPath("error", "step")} = @step)`, { step });
  }
  if (text) add("(CONTAINS(c.jobId, @text, true) OR CONTAINS(c.correlationId, @text, true))", { text });
  if (time) {
    const path = TIME_PATHS[time.of];
    if (time.of === "ended") add('c.processState IN ("Processed", "Compensated", "Cancelled", "Error")');
    if (time.from) add(`${path} >= @from`, { from: time.from });
    if (time.to) add(`${path} < @to`, { to: time.to });
  }
  if (window) {
    const [newer, upTo] = [window.after, window.upTo].map((ms) => new Date(ms).toISOString());
    add("c.createdAt > @newer AND c.createdAt <= @upTo", { newer: newer ?? "", upTo: upTo ?? "" });
  }
  if (after) {
    const { createdAt, shown } = after;
    add("c.createdAt <= @at AND NOT ARRAY_CONTAINS(@shown, c.jobId)", { at: createdAt, shown: [...shown] });
  }
  // Jobs' contents are in the same container: each other condition is of a member that they don't have. Beside one this would visit every job.
  if (conditions.length === 0) add("IS_DEFINED(c.processState)");
  return { query: conditions.join(" AND "), parameters };
}

/** The same for stores that must search their records themselves. */
export function isListed(record: StateRecord, filter: Filter): boolean {
  const { jobId, correlationId, createdAt } = record;
  const { key, waitsFor, step, text, time, after } = filter;
  if (filter.processState && record.processState !== filter.processState) return false;
  if (filter.kind && record.error?.kind !== filter.kind) return false;
  if (filter.workflow && record.workflow.name !== filter.workflow) return false;
  if (filter.version !== undefined && record.workflow.version !== filter.version) return false;
  if (key && record.keys[key.name] !== key.value) return false;
  if (waitsFor && !waitsForIt(record, waitsFor)) return false;
  if (time && !isWithin(timeIn(record, time.of), time)) return false;
  if (step && !standsAt(record, step)) return false;
  if (text && ![jobId, correlationId].some((id) => id.toLowerCase().includes(text.toLowerCase()))) return false;
  return !after || (createdAt <= after.createdAt && !after.shown.includes(jobId));
}

function timeIn(record: StateRecord, of: TimeFilter["of"]): string | undefined {
  const { createdAt, enqueuedAt, updatedAt, processState, error, overAt } = record;
  switch (of) {
    case "received":
      return createdAt;
    case "sent":
      return enqueuedAt ?? createdAt;
    case "changed":
      return updatedAt;
    case "ended":
      if (!hasEnded(processState)) return undefined;
      return processState === "Processed" ? (overAt ?? updatedAt) : error?.at;
    default:
      return of satisfies never;
  }
}

function isWithin(at: string | undefined, { from, to }: TimeFilter): boolean {
  return at !== undefined && (!from || at >= from) && (!to || at < to);
}

function standsAt({ steps, error }: StateRecord, name: string): boolean {
  const busy = (run: StepRun | null | undefined) =>
    isInHand(run ?? null) || run?.state === "Failed" || (run != null && isRetried(run));
  return busy(steps[name]) || busy(steps[name]?.compensation) || error?.step === name;
}
