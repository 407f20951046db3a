// One job for an operator, with the actions that are possible now (P9, P11, P13). It changes nothing.

import type { Job } from "@scheduler-agent-supervisor/core/app";
import {
  courseOf,
  type Decision,
  type Direction,
  decide,
  expandedSteps,
  instant,
  type KeyChoice,
  keyChoiceOf,
  type OperatorAction,
  type StateRecord,
  type UnknownOutcome,
  unknownOutcomes,
  withHiddenSecrets,
} from "@scheduler-agent-supervisor/core/domain";
import { type ActionName, contractOf } from "@scheduler-agent-supervisor/core/messaging";
import { decisionContextOf, type Ports, workflowOf } from "@scheduler-agent-supervisor/core/scheduling";
import { entityTag, shownRecord } from "@scheduler-agent-supervisor/core/store";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { type StatusDelivery, statusesOf } from "../domain/statuses.ts";
import { type JobWait, waitInWords } from "../domain/wait.ts";
import { SWEEP_GRACE_MS, waitingJobOf, waitsOf } from "../domain/waiting.ts";

/** One job for an operator. */
export interface InspectedJob {
  /** The version of all its data, in quotes: for `If-Match`. */
  readonly etag: string;
  readonly record: StateRecord;
  /** Its content, in the revision that the record names; its secrets are hidden from operators who may not see them. */
  readonly job: Job;
  /** The statuses that its requester has received, and those still to be sent. */
  readonly statuses: readonly StatusDelivery[];
  /** Its workflow; null if the app does not have that version any more. */
  readonly workflow: Pick<Workflow, "steps"> | null;
  /** Why it does not continue now, also as a sentence with times in UTC. */
  readonly waits: readonly (JobWait & { readonly text: string })[];
  /** The actions that are possible now, and the reason for those that are not. */
  readonly actions: { readonly [name in Exclude<ActionName, "resubmit">]: Permission } & {
    readonly resubmit: MayResubmit;
  };
  /** The steps, in which direction, whose outcome is unknown and can be recorded now. */
  readonly unknownOutcomes: readonly UnknownOutcome[];
}

type Permission = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

type MayResubmit =
  | {
      readonly allowed: true;
      /** A member that must be true in the request. */
      readonly requires?: "compensatedManually";
      /** In which direction the job then goes on. */
      readonly direction: Direction;
      /** The steps that run again after a fault, in that direction: under their next key, or under the same. */
      readonly keys: KeyChoice;
      /** It goes forward if the request has `"direction": "forward"`. */
      readonly orForward?: true;
    }
  | { readonly allowed: false; readonly reason: string };

/** Undefined if there is no such job. */
export async function inspectJob(jobId: string, ports: Ports, seesSecrets = false): Promise<InspectedJob | undefined> {
  const read = (await ports.store.state(jobId)) ?? (await ports.store.latest(jobId));
  if (!read) return undefined;
  const { record } = read;
  const context = decisionContextOf("", ports);
  const workflow = workflowOf(record, ports);
  const job = await ports.store.job(jobId, record.jobRevision);
  const decided = (action: OperatorAction) => decide(record, action, workflow, context);
  const may = (action: OperatorAction) => permission(decided(action));
  return {
    etag: entityTag(read.etag),
    record: shownRecord(record),
    job: seesSecrets ? job : withHiddenSecrets(job, contractOf(job, ports.rules.contracts).secrets),
    statuses: statusesOf(record),
    workflow: workflow ? { steps: expandedSteps(workflow, record.steps) } : null,
    waits: await waitsNow(record, ports),
    actions: {
      resubmit: mayResubmit(record, decided),
      compensate: may({ kind: "compensate", reason: "" }),
      cancel: may({ kind: "cancel", reason: "" }),
      extend: may({ kind: "extend", reason: "", byMs: 1 }),
      markResolved: may({ kind: "markResolved", reason: "" }),
    },
    unknownOutcomes: unknownOutcomes(record, context).filter((one) => isAllowed(decided(wasDone(one)))),
  };
}

const wasDone = (one: UnknownOutcome): OperatorAction => ({
  kind: "recordOutcome",
  outcome: "done",
  reason: "",
  ...one,
});

async function waitsNow(record: StateRecord, { timing, pauses, now }: Ports): Promise<InspectedJob["waits"]> {
  const job = waitingJobOf(record);
  const agents = [...new Set(job.open.map(({ agent }) => agent))];
  const isPaused = await Promise.all(agents.map((name) => pauses?.isPaused({ kind: "agent", name }) ?? false));
  const waits = waitsOf(job, {
    now: instant(now()),
    claimWithinMs: timing.claimWithinMs,
    graceMs: SWEEP_GRACE_MS + timing.clockSkewMs,
    isPaused: (agent) => isPaused[agents.indexOf(agent)] ?? false,
  });
  return waits.map((wait) => ({ ...wait, text: waitInWords(wait, (at) => at) }));
}

function mayResubmit(before: StateRecord, decided: (action: OperatorAction) => Decision): MayResubmit {
  const resubmit = { kind: "resubmit", reason: "", edited: null, compensatedManually: false } as const;
  const plainly = decided(resubmit);
  const forward = decided({ ...resubmit, direction: "forward" });
  if (plainly.kind === "allowed") {
    const direction = courseOf(plainly.record);
    const keys = keysIn(before, plainly.record);
    return {
      allowed: true,
      direction,
      keys,
      ...(direction === "compensate" && isAllowed(forward) && { orForward: true }),
    };
  }
  const withWord = decided({ ...resubmit, compensatedManually: true });
  if (withWord.kind === "rejected") return { allowed: false, reason: plainly.reason };
  const orForward = isAllowed(forward) && ({ orForward: true } as const);
  const keys = keysIn(before, withWord.record);
  return { allowed: true, requires: "compensatedManually", direction: "forward", keys, ...orForward };
}

const keysIn = ({ steps }: StateRecord, after: StateRecord) => keyChoiceOf(steps, after.steps, after.direction);

const isAllowed = ({ kind }: Decision) => kind === "allowed";

function permission(decision: Decision): Permission {
  return decision.kind === "allowed" ? { allowed: true } : { allowed: false, reason: decision.reason };
}
