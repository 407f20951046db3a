// Submission (P1): records the order, says that it is received, and claims it for its first attempt.

import type { ClaimOutcome } from "../domain/attempt.ts";
import { idName } from "../domain/noun.ts";
import { type Order, sameAsStored } from "../domain/order.ts";
import { startAttemptOf } from "../domain/recovery.ts";
import { newStateRecord, type StateRecord } from "../domain/state-record.ts";
import { countItems } from "../domain/workflow-rules.ts";
import { MissingWorkflow } from "../domain/workflows.ts";
import { contentDigest } from "../messaging/content-digest.ts";
import { contractOf } from "../messaging/contract.ts";
import { type Envelope, type ParsedSubmission, parseSubmission } from "../messaging/submission-message.ts";
import { claimOrder } from "./claim-order.ts";
import { WorkflowPaused } from "./pauses.ts";
import { type Context, instant, type Ports } from "./ports.ts";
import { publish } from "./publish.ts";
import { rejectSubmission } from "./reject-submission.ts";

export interface SubmittedMessage {
  readonly body: unknown;
  readonly envelope: Envelope;
  readonly traceparent: string | null;
  /** When it came into its queue; an ISO 8601 instant. */
  readonly enqueuedAt?: string | undefined;
}

/**
 * Order of writes: order and record in one batch, the Received message, the claim, the Started message, then (by the caller) the
 * start of the orchestration. After a death in between the message is delivered again, and the duplicate does what is left.
 * @returns undefined where nothing is to be started
 * @throws Outage where the message had better wait
 */
export async function submitOrder(message: SubmittedMessage, context: Context): Promise<ClaimOutcome | undefined> {
  const record = await recordOrder(message, context);
  const mayBeStarted = record?.attempt === 1 && ["Pending", "Processing"].includes(record.processState);
  return mayBeStarted ? claimOrder(startAttemptOf(record), context, record) : undefined;
}

/** The first half: the record that then stands, or undefined where the message could not be read. */
export async function recordOrder(message: SubmittedMessage, context: Context): Promise<StateRecord | undefined> {
  const parsed = parseSubmission(message.body, message.envelope, context.rules);
  if (parsed.kind === "invalid") await waitForNewer(message, context);
  if (parsed.kind === "invalid") return rejectSubmission(message, parsed.faults, context);
  const { order } = parsed;
  if (await context.pauses?.isPaused({ kind: "workflow", name: order.workflow })) {
    throw new WorkflowPaused(`an operator has paused the workflow ${order.workflow}`);
  }
  await context.admission.admit(order.priority);
  const draft = draftRecord(parsed, message, context);
  const created = await context.store.create(order, draft);
  if (created.kind === "duplicate" && !isSubmittedAgain(parsed, created, context)) {
    return rejectSubmission(
      message,
      [`${idName(context.rules.contracts.noun)}: "${parsed.orderId}" is the id of another order`],
      context,
    );
  }
  const record = created.kind === "created" ? draft : created.record;
  const { orderId, processState, workflow } = record;
  const submitted = created.kind === "created" ? "OrderSubmitted" : "DuplicateSubmission";
  context.telemetry.event(submitted, { orderId, processState, workflow: workflow.name });

  await publish(record, { status: "Received", attempt: 1, at: record.createdAt }, context);
  return record;
}

/** Longer than any rollback lasts. A workflow that was given up looks the same, where none was added since. */
const WAITS_FOR_NEWER_MS = 7 * 86_400_000;

/** @throws MissingWorkflow where all that is wrong with the order is that a newer version of the app brought its workflow */
async function waitForNewer({ body, envelope, enqueuedAt }: SubmittedMessage, ports: Ports): Promise<void> {
  const { workflow } = (body ?? {}) as { readonly workflow?: unknown };
  if (typeof workflow !== "string" || ports.rules.workflows.includes(workflow)) return;
  if (parseSubmission(body, envelope, { ...ports.rules, workflows: [workflow] }).kind === "invalid") return;
  if (enqueuedAt !== undefined && ports.now() - Date.parse(enqueuedAt) > WAITS_FOR_NEWER_MS) return;
  if (await ports.isNewerWorkflow(workflow)) throw new MissingWorkflow({ name: workflow });
}

type Valid = Extract<ParsedSubmission, { kind: "valid" }>;

/** Another sender's order is another one, whatever is in it. */
function isSubmittedAgain(
  { order, owner }: Valid,
  stored: { readonly order: Order; readonly record: StateRecord },
  { rules }: Ports,
) {
  return stored.record.owner === owner && sameAsStored(stored.order, order, contractOf(order, rules.contracts).secrets);
}

function draftRecord(
  { orderId, order, reply, owner, statuses }: Valid,
  message: SubmittedMessage,
  ports: Ports,
): StateRecord {
  const workflow = ports.workflows.newest(order.workflow);
  if (!workflow) throw new Error(`no workflow ${order.workflow}, though the submission rules name it`);
  const now = ports.now();
  const { priority } = order;
  const { body, traceparent, enqueuedAt } = message;
  const submission = {
    orderId,
    keys: contractOf(order, ports.rules.contracts).keysOf(order),
    priority,
    ...reply,
    owner,
    statuses,
    contentDigest: contentDigest(body, ports.rules.contracts.usualWorkflow),
    traceparent,
    enqueuedAt,
  };
  const items = countItems(workflow, order, ports.workflows.rules);
  return newStateRecord(submission, workflow, instant(now), instant(now + ports.timing.claimWithinMs), items);
}
