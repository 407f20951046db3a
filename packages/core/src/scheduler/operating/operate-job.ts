// An operator's action on one job (P9, P11, P13): decided by the domain, written at the version read, then published.

import { hides, keepingHiddenSecrets, lacksSecrets } from "../../domain/content/job.ts";
import type { Workflow } from "../../domain/definition/workflow.ts";
import { instant } from "../../domain/duration.ts";
import { decide } from "../../domain/operator/operator.ts";
import type { OperatorAction } from "../../domain/operator/operator-action.ts";
import { hasEnded, type ProcessState, type StateRecord } from "../../domain/record/state-record.ts";
import type { DecisionContext } from "../../domain/recovery/next-attempt.ts";
import { snapshotOf } from "../../domain/recovery/snapshot.ts";
import { inWords } from "../../domain/thrown.ts";
import { contractFor, contractOf } from "../../messaging/contract.ts";
import type { OperatorRequest } from "../../messaging/operator-request.ts";
import { isWantedVersion, type Versioned, type WantedVersion, type Written } from "../../store/job-store.ts";
import type { Made } from "../change.ts";
import type { Operating } from "../ports.ts";
import { followTurn } from "../publishing/publish.ts";
import { writeAuditLog } from "../write-audit-log.ts";
import { doneInWords, keepItems, withCheckedResult } from "./checked-request.ts";

export type Operated =
  /** `published`: false if the message to the scheduler could not be sent; the supervisor then starts the attempt when the job is due. */
  | ({ readonly kind: "done"; readonly published: boolean } & Versioned)
  | { readonly kind: "rejected"; readonly state: ProcessState; readonly reason: string }
  /** The job is not at a version that the operator has seen: this is its current state. */
  | ({ readonly kind: "changed" } & Versioned)
  | { readonly kind: "invalid"; readonly faults: readonly string[] }
  | { readonly kind: "not-found" };

/** The operator, and the version of the job in the request. */
export interface Caller {
  readonly by: string;
  readonly ifMatch: WantedVersion;
}

/** The request, its operator, and the ports for it. */
interface Asked {
  readonly request: OperatorRequest;
  readonly caller: Caller;
  readonly context: Operating;
}

/**
 * Order of writes: the record with its history, at the version that was read, then the audit log, then the outbox messages, then the message to
 * the scheduler. After a crash in between the record is Pending and becomes due, and the sweep does the rest.
 */
export async function operateJob(
  jobId: string,
  request: OperatorRequest,
  caller: Caller,
  context: Operating,
): Promise<Operated> {
  const read = await context.store.latest(jobId);
  if (!read) return { kind: "not-found" };
  const asked = { request: await withStoredSecrets(request, read.record, context), caller, context };
  return (await operateOn(read, asked)) ?? operateAgain(read, asked);
}

/** An edit may omit the secrets that its operator did not see. */
async function withStoredSecrets(
  request: OperatorRequest,
  { jobId, jobRevision, workflow }: StateRecord,
  { store, rules }: Operating,
): Promise<OperatorRequest> {
  if (request.kind !== "resubmit" || !request.job) return request;
  const { job } = request;
  const { secrets } = contractFor(workflow.name, rules.contracts);
  if (!secrets.some((name) => hides(job, name))) return request;
  return { ...request, job: keepingHiddenSecrets(job, await store.job(jobId, jobRevision), secrets) };
}

/**
 * Another writer may be faster once, such as an agent that completes a step. If another writer is faster each time, the operator has to decide
 * again.
 */
async function operateAgain(before: Versioned, asked: Asked): Promise<Operated> {
  const { jobId, attempt } = before.record;
  const read = await asked.context.store.state(jobId);
  if (!read) return { kind: "not-found" };
  // Another operator has scheduled another attempt, and this operator has not seen it.
  const isOther = read.record.attempt !== attempt && asked.caller.ifMatch === "any";
  const operated = isOther ? undefined : await operateOn(read, asked);
  if (operated) return operated;
  const reason = "it changed while this was decided: look at it again";
  return reject(read.record, reason, instant(asked.context.now()), asked);
}

/** Undefined if the record has changed since it was read. */
async function operateOn(read: Versioned, asked: Asked): Promise<Operated | undefined> {
  const { request, caller, context } = asked;
  const { record: before } = read;
  const decided = decisionContextOf(caller.by, context);
  if (!isWantedVersion(read.etag, caller.ifMatch)) {
    const outcome = "rejected: it is not at the version that was looked at";
    await enter(before, null, outcome, decided.now, asked);
    return { kind: "changed", ...read };
  }
  const checked = withCheckedResult(before, request, context);
  const faults = [...faultsAgainst(before, request, context), ...(checked.kind === "misfit" ? checked.faults : [])];
  if (checked.kind === "misfit" || faults.length > 0) return { kind: "invalid", faults };

  const decision = decide(before, actionOf(checked.request), workflowOf(before, context), decided);
  if (decision.kind === "rejected") return reject(before, decision.reason, decided.now, asked);
  const edited = request.kind === "resubmit" ? request.job : null;
  const items = keepItems(before, decision.record, edited, context);
  if (items.kind === "invalid") return items;
  const written = await write(read, { ...decision.record, steps: items.steps }, request, context);
  if (written.kind === "rejected") return undefined;
  await enter(before, written.record, doneInWords(checked.request), decided.now, asked);
  const { record, etag } = written;
  return { ...(await follow({ before, after: record, record, etag }, context)), kind: "done" };
}

async function reject(before: StateRecord, reason: string, at: string, asked: Asked): Promise<Operated> {
  await enter(before, null, `rejected: ${reason}`, at, asked);
  return { kind: "rejected", state: before.processState, reason };
}

/** Ended jobs may be older than every version of their workflow in the app. */
export function workflowOf(record: StateRecord, { workflows }: Pick<Operating, "workflows">): Workflow | undefined {
  try {
    return workflows.of(record.workflow);
  } catch {
    return undefined;
  }
}

/** Faults that the request's contract alone can't find. */
function faultsAgainst({ workflow }: StateRecord, request: OperatorRequest, { rules }: Operating): string[] {
  const edited = request.kind === "resubmit" ? request.job : null;
  if (!edited) return [];
  const { secrets } = contractFor(workflow.name, rules.contracts);
  return [
    ...(edited.workflow === workflow.name
      ? []
      : [`job: workflow: must stay "${workflow.name}": its steps are that workflow's`]),
    ...(lacksSecrets(edited, secrets) ? [`job: ${secrets.join(", ")}: was removed, and a new one is needed`] : []),
  ];
}

function actionOf(request: OperatorRequest): OperatorAction {
  if (request.kind !== "resubmit") return request;
  const { job, ...rest } = request;
  return { ...rest, edited: job && { priority: job.priority } };
}

async function write(
  read: Versioned,
  record: StateRecord,
  request: OperatorRequest,
  { store, rules }: Operating,
): Promise<Written> {
  const edited = request.kind === "resubmit" ? request.job : null;
  const written = await (edited
    ? store.revise(read, { ...record, keys: contractOf(edited, rules.contracts).keysOf(edited) }, edited)
    : store.replace(read, record));
  if (written.kind === "written") return written;
  // The store made a write whose answer was lost, and rejected its second try.
  const stored = await store.state(record.jobId);
  return stored && isOwn(stored.record, record) ? { kind: "written", ...stored } : written;
}

function isOwn(stored: StateRecord, intended: StateRecord): boolean {
  const entry = intended.history.at(-1);
  return stored.history.some(({ at, what, by }) => at === entry?.at && what === entry.what && by === entry.by);
}

/** A fault of the audit log never stops an operator: the record's own history contains the same. */
async function enter(
  before: StateRecord,
  after: StateRecord | null,
  outcome: string,
  at: string,
  { request: { kind: action, reason }, caller: { by: operator }, context }: Asked,
): Promise<void> {
  const { jobId } = before;
  const snapshots = { before: snapshotOf(before), after: after && snapshotOf(after) };
  const entry = { at, operator, action, jobId, reason, outcome, ...snapshots };
  await writeAuditLog(entry, (after ?? before).attempt, context);
}

/** The message to the scheduler, or of a job that ended in the operator's own write. `published`: false if the sweep has to send it. */
async function follow(made: Made, context: Operating): Promise<Versioned & { readonly published: boolean }> {
  const { record, etag } = made;
  try {
    const known = await followTurn(made, context);
    const isEnd = hasEnded(made.after.processState) && !hasEnded(made.before.processState);
    return { ...known, published: !isEnd || known.record.outbox.length === 0 };
  } catch (cause) {
    context.telemetry.event("StatusDelayed", { jobId: record.jobId, status: "RetryScheduled", cause: inWords(cause) });
    return { record, etag, published: false };
  }
}

export function decisionContextOf(by: string, { now, timing }: Pick<Operating, "now" | "timing">): DecisionContext {
  const { claimWithinMs, clockSkewMs } = timing;
  return { by, now: instant(now()), claimWithinMs, clockSkewMs };
}
