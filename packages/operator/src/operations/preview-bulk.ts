// The preview of an action on many jobs: lists the jobs that it will act on, and the others with the reason. Jobs that arrive later are not
// included.
import { randomUUID } from "node:crypto";
import {
  courseOf,
  decide,
  instant,
  type KeyChoice,
  keyChoiceOf,
  NewerSchema,
  type OperatorAction,
  type StateRecord,
} from "@scheduler-agent-supervisor/core/domain";
import { decisionContextOf, type Ports, workflowOf } from "@scheduler-agent-supervisor/core/scheduling";
import { entityTag, NotStorable } from "@scheduler-agent-supervisor/core/store";
import { type BulkAction, type BulkItem, MOST_JOBS } from "../domain/bulk.ts";
import { filterOf } from "../messaging/job-filter.ts";
import type { BulkFilter, BulkStore, StoredBulkRun } from "../store/bulk-store.ts";
import type { JobFilter, ListedJob, ListedJobs } from "../store/job-list.ts";
import { isListed } from "../store/job-query.ts";
import type { JobSearch } from "../store/job-search.ts";
import type { AttentionReader } from "./attention.ts";
import { causeIdOf } from "./group-jobs.ts";

export interface BulkPorts extends Ports {
  readonly bulk: BulkStore;
  readonly attention: AttentionReader;
  readonly search: Pick<JobSearch, "list">;
}

export type BulkTarget =
  | { readonly group: string }
  | { readonly jobIds: readonly string[] }
  | { readonly filter: BulkFilter };

export interface BulkAsked {
  readonly action: BulkAction;
  /** Only with the action `resubmit`. */
  readonly direction?: "forward" | undefined;
}

interface NotPossible {
  readonly jobId: string;
  readonly reason: string;
}

export interface PreviewedBulk {
  readonly run: StoredBulkRun;
  readonly notPossible: readonly NotPossible[];
}

/** The number of records that are read in parallel. */
const SIDE_BY_SIDE = 16;
/** If no index covers the selection, a preview searches at most this number of jobs. */
const MOST_LOOKED = 20_000;

/** Reads every record and decides on it as the action itself would. It changes no job. */
export async function previewBulk(
  asked: BulkAsked,
  target: BulkTarget,
  by: string,
  ports: BulkPorts,
): Promise<PreviewedBulk> {
  const { action, direction } = asked;
  const { jobIds, isAll, cause, filter } = await meant(target, ports);
  const isMeant = (record: StateRecord) => filter === null || isListed(record, listed(filter));
  const seen = await inTurns(jobIds, SIDE_BY_SIDE, (jobId) =>
    unlessNewer(
      () => look(jobId, asked, isMeant, by, ports),
      (reason) => ({ jobId, reason }),
    ),
  );
  const items = seen.flatMap((one) => ("item" in one ? [one.item] : []));
  const notPossible = seen.flatMap((one) => ("item" in one ? [] : [one]));
  const now = instant(ports.now());
  const run: StoredBulkRun = {
    bulkId: randomUUID(),
    action,
    state: "previewed",
    at: now,
    by,
    reason: null,
    extendBy: null,
    direction: direction ?? null,
    goesOn: action === "resubmit" ? countedByDirection(items) : null,
    keys: action === "resubmit" ? countedByKey(items) : null,
    cause,
    filter,
    isAll,
    total: items.length,
    wave: 0,
    counts: { done: 0, skipped: 0, well: 0, same: 0, other: 0 },
    stopped: null,
    updatedAt: now,
  };
  await ports.bulk.create(run, items);
  return { run, notPossible };
}

function countedByDirection(items: readonly BulkItem[]) {
  const compensate = items.filter(({ direction }) => direction === "compensate").length;
  return { forward: items.length - compensate, compensate };
}

function countedByKey(items: readonly BulkItem[]) {
  const jobsWith = (which: keyof KeyChoice) => items.filter(({ keys }) => keys[which].length > 0).length;
  return { next: jobsWith("next"), same: jobsWith("same") };
}

type Meant = Pick<StoredBulkRun, "cause" | "filter" | "isAll"> & { readonly jobIds: readonly string[] };

async function meant(target: BulkTarget, ports: BulkPorts): Promise<Meant> {
  if ("filter" in target) {
    const { filter } = target;
    return { ...(await search(listed(filter), () => true, ports)), cause: null, filter };
  }
  if ("jobIds" in target) {
    return { jobIds: [...new Set(target.jobIds)], isAll: true, cause: null, filter: null };
  }
  return { ...(await membersOf(target.group, ports)), filter: null };
}

/** If more jobs need a person than were counted, a search finds the other jobs of the cause. */
async function membersOf(id: string, ports: BulkPorts): Promise<Omit<Meant, "filter">> {
  const [{ groups }, counted] = await Promise.all([ports.attention.groups(), ports.attention.members(id)]);
  const group = groups.find((one) => one.id === id);
  const cause = group?.example ?? null;
  if (counted.isAll || !group?.kind) return { ...counted, cause };
  const { kind, workflow, step } = group;
  const filter = { processState: "Error", kind, workflow: workflow ?? undefined, step: step ?? undefined } as const;
  return { ...(await search(filter, (job) => causeIdOf(job) === id, ports)), cause };
}

/** The newest first, up to the limit of one action. */
async function search(
  filter: JobFilter,
  isWanted: (job: ListedJob) => boolean,
  ports: BulkPorts,
): Promise<Pick<Meant, "jobIds" | "isAll">> {
  const jobIds: string[] = [];
  let looked = 0;
  let page: ListedJobs | undefined;
  do {
    page = await ports.search.list({ ...filter, limit: MOST_JOBS - jobIds.length, after: page?.next });
    jobIds.push(...page.jobs.filter(isWanted).map(({ jobId }) => jobId));
    looked += page.looked?.jobs ?? 0;
  } while (page.looked && jobIds.length < MOST_JOBS && looked < MOST_LOOKED);
  return { jobIds, isAll: page.next === undefined };
}

const listed = ({ state, ...filter }: BulkFilter): JobFilter => ({ processState: state, ...filterOf(filter) });

async function look(
  jobId: string,
  asked: BulkAsked,
  isMeant: (record: StateRecord) => boolean,
  by: string,
  ports: Ports,
): Promise<{ readonly item: BulkItem } | NotPossible> {
  const read = (await ports.store.state(jobId)) ?? (await ports.store.latest(jobId));
  if (!read) return { jobId, reason: "it is not there" };
  const { record, etag } = read;
  if (!isMeant(record)) return { jobId, reason: "it has changed and does not match the search any more" };
  const decision = decide(record, requestOf(asked), workflowOf(record, ports), decisionContextOf(by, ports));
  if (decision.kind === "rejected") return { jobId, reason: decision.reason };
  const { record: after } = decision;
  const keys = keyChoiceOf(record.steps, after.steps, after.direction);
  return { item: { jobId, etag: entityTag(etag), cause: causeIdOf(record), direction: courseOf(after), keys } };
}

function requestOf({ action, direction }: BulkAsked): OperatorAction {
  if (action === "resubmit") return { kind: action, reason: "", edited: null, compensatedManually: false, direction };
  // The amount is set when the action starts; whether it is possible does not depend on it.
  if (action === "extend") return { kind: action, reason: "", byMs: 1 };
  return { kind: action, reason: "" };
}

/** One job that a newer version of the app has written, or whose write the store refuses, must not stop all others. */
export async function unlessNewer<T>(work: () => Promise<T>, otherwise: (reason: string) => T): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof NewerSchema || cause instanceof NotStorable) return otherwise(cause.message);
    throw cause;
  }
}

/** The results in the order of the input; the number of parallel calls is limited. */
export async function inTurns<From, To>(
  given: readonly From[],
  most: number,
  work: (one: From) => Promise<To>,
): Promise<To[]> {
  const results: To[] = [];
  for (let from = 0; from < given.length; from += most) {
    results.push(...(await Promise.all(given.slice(from, from + most).map(work))));
  }
  return results;
}
