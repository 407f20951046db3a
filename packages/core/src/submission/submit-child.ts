// A step submits a job of another workflow (P35): through the same batch as a requester's, once however often the step is tried.

import { MOST_NESTED, type ParentStep } from "../domain/definition/child-job.ts";
import { Outage } from "../domain/outage.ts";
import { type ChildEnd, childEndOf, isChildOf } from "../domain/record/child-end.ts";
import type { StateRecord } from "../domain/record/state-record.ts";
import { startAttemptOf } from "../domain/recovery/recovery.ts";
import { messageOf } from "../domain/thrown.ts";
import { idNameOf } from "../messaging/job-id.ts";
import type { Context } from "../scheduler/ports.ts";
import { activeTraceparent } from "../telemetry/trace-context.ts";
import type { ChildId } from "./child-id.ts";
import { readAndRecord } from "./record-submission.ts";
import type { SubmittedMessage } from "./submission-message.ts";
import { inItsTurn, withoutSecrets } from "./submit-job.ts";

/** What a step wants to be done by another workflow. */
export interface WantedChild {
  readonly id: ChildId;
  readonly workflow: string;
  /** Computed when it is submitted. Its id, workflow and priority are filled in. */
  readonly content: () => object;
}

export type ChildSubmitted =
  | { readonly kind: "child"; readonly record: StateRecord; readonly end: ChildEnd }
  /** Another try would have the same end. */
  | { readonly kind: "rejected"; readonly message: string; readonly outcomeUnknown: boolean }
  /** It can't be recorded now: no room, a paused workflow, an outage. */
  | { readonly kind: "later"; readonly message: string };

/** A step holds its activity only so long for a place. */
const ADMITTED_WITHIN_MS = 5000;

/**
 * Order of writes: job and record in one batch, then the message that asks for its first attempt. After a crash in between the step is tried again,
 * finds the child, and sends the message again; if it is not tried again, the supervisor finds the child, which is due.
 */
export async function submitChild(wanted: WantedChild, context: Context): Promise<ChildSubmitted> {
  const message = await messageFor(wanted, context);
  if ("kind" in message) return message;
  try {
    const read = await inItsTurn((onAdmitted) =>
      withoutSecrets(message, context, () => readAndRecord(message, withinTime(context), onAdmitted)),
    );
    if (read.kind === "recorded") return await started(read.record, context);
    const child = `a child of the workflow ${wanted.workflow}`;
    const reason = `${child} can't be submitted: ${read.faults.join("; ")}`;
    if (read.kind === "invalid") return { kind: "rejected", message: reason, outcomeUnknown: false };
    return conflict(wanted, context);
  } catch (cause) {
    if (!(cause instanceof Outage)) throw cause;
    return { kind: "later", message: messageOf(cause) };
  }
}

/** The message that a requester would send; or the reason why there can be no such child. */
export async function messageFor(
  { id, workflow, content }: WantedChild,
  { store, rules }: Context,
): Promise<SubmittedMessage | Extract<ChildSubmitted, { kind: "rejected" }>> {
  const parent = ((await store.state(id.parentId)) ?? (await store.latest(id.parentId)))?.record;
  if (!parent) throw new Error(`job ${id.parentId} has a step that submits a job, and is not there`);
  const depth = (parent.parent?.depth ?? 0) + 1;
  // The first of them has no parent.
  if (depth >= MOST_NESTED) {
    const message = `a child of the workflow ${workflow} would be nested ${depth + 1} deep: at most ${MOST_NESTED} are`;
    return { kind: "rejected", message, outcomeUnknown: false };
  }
  const { priority, correlationId, owner, traceparent } = parent;
  const own = { [idNameOf(rules.contracts)]: id.jobId, workflow };
  const step: ParentStep = { jobId: id.parentId, step: id.step, depth };
  return {
    body: { priority, ...content(), ...own },
    envelope: { correlationId, statuses: "end", isApart: true },
    traceparent: activeTraceparent() ?? traceparent,
    parent: { step, owner },
  };
}

/** Another message than its first, or none, is needed once it has begun. */
async function started(record: StateRecord, context: Context): Promise<ChildSubmitted> {
  if (record.processState === "Pending" && record.attempt === 1) {
    try {
      await context.messenger.startAttempt(startAttemptOf(record));
    } catch (cause) {
      // It is recorded and due: the supervisor starts it.
      if (!(cause instanceof Outage)) throw cause;
    }
  }
  return { kind: "child", record, end: childEndOf(record) };
}

/** Its id is taken: by itself with other content, as after an edit of the parent; or by a job that is none of this step's. */
async function conflict({ id }: WantedChild, { store }: Context): Promise<ChildSubmitted> {
  const record = (await store.latest(id.jobId))?.record;
  const isOwn = record !== undefined && isChildOf(record, { jobId: id.parentId, step: id.step });
  const message = isOwn
    ? `child ${id.jobId} was submitted before with other content`
    : `the id ${id.jobId} of the child is taken`;
  return { kind: "rejected", message, outcomeUnknown: isOwn };
}

/** With a shorter wait for a place: a message may wait for a minute, and a step's agent has its own time. */
function withinTime(context: Context): Context {
  const { admission, pause } = context;
  return {
    ...context,
    admission: {
      async admit(...asked) {
        const admitted = admission.admit(...asked).then((leave) => ({ leave }));
        const first = await Promise.race([admitted, pause(ADMITTED_WITHIN_MS)]);
        if (first) return first.leave;
        admitted.then(
          ({ leave }) => leave?.(),
          () => undefined,
        );
        throw new Outage("the app has no room for another one now");
      },
    },
  };
}
