// An operator reports a step that is done later (P6, P8): an approval by telephone, or a service that can't report. It is handled as the service's
// own report.

import { instant } from "../../domain/duration.ts";
import { runOf } from "../../domain/record/plan.ts";
import type { StateRecord } from "../../domain/record/state-record.ts";
import { awaitedDirection } from "../../domain/record/wait.ts";
import { snapshotOf } from "../../domain/recovery/snapshot.ts";
import type { StepReport } from "../../messaging/operator-request.ts";
import { isWantedVersion, type Versioned } from "../../store/job-store.ts";
import type { Replying } from "../ports.ts";
import type { Report } from "../steps/completion.ts";
import { type Received, takeReport } from "../steps/take-reply.ts";
import { writeAuditLog } from "../write-audit-log.ts";
import type { Caller, Operated } from "./operate-job.ts";

export type Reported =
  /** `received`: for the attempt that waits for it. */
  | ({ readonly kind: "reported"; readonly received: Received } & Versioned)
  /** The result does not match the declaration of the step's agent: nothing is recorded. */
  | { readonly kind: "invalid"; readonly faults: readonly string[] }
  | Extract<Operated, { kind: "rejected" | "changed" | "not-found" }>;

/**
 * Order of writes: as for a service's report (take-reply.ts), then the audit log. The step's own record contains the reporter and the reason. Of
 * two reports at the same time one is taken, and the other is rejected.
 */
export async function reportStep(
  jobId: string,
  step: string,
  report: StepReport,
  { by: operator, ifMatch }: Caller,
  context: Replying,
): Promise<Reported> {
  const read = await context.store.latest(jobId);
  if (!read) return { kind: "not-found" };
  const { record } = read;
  const said = (outcome: string, after: StateRecord | null) =>
    enter({ before: record, after, outcome, reason: report.reason, operator }, context);
  const reject = async (reason: string): Promise<Reported> => {
    await said(`rejected: ${reason}`, null);
    return { kind: "rejected", state: record.processState, reason };
  };
  if (!isWantedVersion(read.etag, ifMatch)) {
    await said("rejected: it is not at the version that was looked at", null);
    return { kind: "changed", ...read };
  }
  const own = ownReport(record, step, report, operator);
  if (!own) return reject(`${step} waits for no report`);
  const taken = await takeReport(own, context);
  if (taken.kind === "misfit") return { kind: "invalid", faults: taken.faults };
  if (taken.kind === "not yet") return reject(`the time of ${step} is over, and it is asked for again: report it then`);
  if (taken.kind !== "recorded") return reject(`${step} waits for no report any more`);
  const current = (await context.store.state(jobId)) ?? read;
  await said(`done: ${step} was reported as ${report.kind}`, current.record);
  return { kind: "reported", received: taken.received, ...current };
}

/** The report that the service itself would have sent: the record contains the parts of its address. */
function ownReport(record: StateRecord, step: string, report: StepReport, operator: string): Report | undefined {
  const direction = awaitedDirection(record, step);
  if (!direction) return undefined;
  const { jobId, steps } = record;
  const address = { jobId, step, direction, nonce: runOf(steps[step], direction)?.nonce };
  const because = `reported by ${operator}: ${report.reason}`;
  return report.kind === "done"
    ? { kind: "done", address, because, result: report.result }
    : { kind: "rejected", address, because, message: `${report.reason} (${operator})` };
}

interface Entry {
  readonly before: StateRecord;
  readonly after: StateRecord | null;
  readonly outcome: string;
  readonly reason: string;
  readonly operator: string;
}

async function enter({ before, after, outcome, reason, operator }: Entry, context: Replying): Promise<void> {
  const { jobId, attempt } = before;
  const snapshots = { before: snapshotOf(before), after: after && snapshotOf(after) };
  const entry = {
    at: instant(context.now()),
    operator,
    action: "report",
    jobId,
    reason,
    outcome,
    ...snapshots,
  } as const;
  await writeAuditLog(entry, attempt, context);
}
