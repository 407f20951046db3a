// P15: status messages.
import { faultsOf } from "../fault.ts";

const ATTEMPTS = "operations:attempts.test.ts";
const STATUSES = "operations:statuses.test.ts";
const SUBMISSION = "operations:submission.test.ts";
const MESSENGER = "core:messaging/service-bus-messenger.test.ts";
const BUS = "core:messaging/service-bus-messenger.ts";
const PUBLISH = "core:scheduler/publishing/publish.ts";
const OWED = "core:domain/record/outbox.ts";
const ANNOUNCED = "operations:announced.test.ts";

export const P15 = faultsOf("P15", [
  [
    "A requester does not receive Received.",
    "core:submission/record-submission.ts",
    'await publish(record, [{ status: "Received", attempt: 1, at: record.createdAt }], context);',
    "",
    SUBMISSION,
  ],
  [
    "A requester does not receive Started.",
    "core:scheduler/claim-job.ts",
    'return direction === "forward" ? [{ status: "Started", attempt, at }] : [];',
    "return [];",
    ATTEMPTS,
  ],
  [
    "A message overtakes one that could not be sent.",
    PUBLISH,
    "const settled = await clearOutbox(written, context);\n    await publish(written.record, outboxMessages, context);",
    "await publish(written.record, outboxMessages, context);\n    const settled = await clearOutbox(written, context);",
    ATTEMPTS,
  ],
  [
    "What was added to the outbox meanwhile is dropped.",
    PUBLISH,
    "if (!known || !isSameOutbox(known.record.outbox, outbox)) return read;",
    "if (!known) return read;",
    "operations:clear-outbox.test.ts",
  ],
  [
    "Messages leave the outbox before they are sent.",
    PUBLISH,
    "  await publish(read.record, owedWith(read.record, completions), context);\n  onSent?.();",
    "  onSent?.();",
    ATTEMPTS,
  ],
  [
    "A retry that its supervisor could not announce is never announced.",
    OWED,
    "return isKept ? outbox : [...outbox, ...retryOf(record).filter((own) => own.attempt === attempt)];",
    "return outbox;",
    ANNOUNCED,
  ],
  [
    "A compensation is announced as the retry before it.",
    OWED,
    ".filter((own) => own.attempt === attempt)",
    "",
    ANNOUNCED,
  ],
  [
    "The record forgets the retry that was announced before the last.",
    OWED,
    "const sent = before.length > 0 && { published",
    "const sent = before.length > 99 && { published",
    STATUSES,
  ],
  [
    "A step that is rejected beside a retry takes its announcement away.",
    "core:domain/steps/step-end.ts",
    "outbox: owed(record) };",
    "outbox: record.outbox };",
    "core:domain/steps/step-end.test.ts",
  ],
  [
    "A message that can't be sent is forgotten.",
    PUBLISH,
    "return leave(written.record, outboxMessages, context);",
    "return written;",
    ATTEMPTS,
  ],
  [
    "A rejection's reason is not said.",
    "core:domain/steps/outputs.ts",
    "...(error && WITH_REASON.has(status) && { detail: error.message }),",
    "",
    ATTEMPTS,
  ],
  [
    "Who wants the end alone receives every status.",
    "core:domain/steps/outputs.ts",
    'return statuses === "all" || ENDS.has(status);',
    "return true;",
    STATUSES,
  ],
  [
    "A status has no digest of what was submitted.",
    "core:domain/steps/outputs.ts",
    "...(contentDigest && { contentDigest }),",
    "",
    STATUSES,
  ],
  [
    "A status in a second attempt has the id of the first.",
    BUS,
    'return [jobId, attempt, status, ...(step ? [step] : []), ...(direction ? ["c"] : [])].join(":");',
    'return [jobId, status, ...(step ? [step] : []), ...(direction ? ["c"] : [])].join(":");',
    MESSENGER,
  ],
  [
    "A status has no correlation id.",
    BUS,
    '      contentType: "application/json",\n      ...(correlationId && { correlationId }),',
    '      contentType: "application/json",',
    MESSENGER,
  ],
  ["A status goes to no session.", BUS, "...(replyToSessionId && { sessionId: replyToSessionId }),", "", MESSENGER],
  ["A reply queue that is not there stops the job.", BUS, '    case "MessagingEntityNotFound":\n', "", MESSENGER],
  [
    "Messages that are too large together are given up.",
    PUBLISH,
    "for (const one of outboxMessages) await publish(record, [one], context);",
    "",
    STATUSES,
  ],
  [
    "A rejected submission has another message id each time.",
    "core:submission/reject-submission.ts",
    ".slice(0, DIGEST_LENGTH);",
    ".slice(0, DIGEST_LENGTH)\n    .concat(String(Math.random()));",
    SUBMISSION,
  ],
  [
    "The end of an attempt is missed because of a stale read.",
    "core:scheduler/publishing/publish.ts",
    "const stored = await context.store.latest(jobId);",
    "const stored = await context.store.state(jobId);",
    "operations:stale-reads.test.ts",
  ],
]);
