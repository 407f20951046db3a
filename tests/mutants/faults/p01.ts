// P1: submission: what is recorded, and what becomes of a message that is no job.
import { faultsOf } from "../fault.ts";

const SUBMISSION = "operations:submission.test.ts";
const OWNED = "core:submission/owned-queue.test.ts";
const COSMOS = "tests/contract/cosmos-order-store.test.ts";
const LIMITS = "tests/contract/cosmos-limits.test.ts";
const DOCUMENTS = "core:store/cosmos-documents.test.ts";
const JOB_ID = "core:messaging/job-id.test.ts";

export const P1 = faultsOf("P1", [
  [
    "The record is written without the job's content.",
    "core:store/cosmos-job-store.ts",
    "const operations = [contentOperation(record, job, FIRST_REVISION, idName), state];",
    "const operations = [state as unknown as OperationInput];",
    `${COSMOS} -t another process`,
  ],
  [
    "A job's documents have its id under the core's name alone, and so not in their partition.",
    "core:store/cosmos-documents.ts",
    "return { id, ...body, ...(idName",
    'return { id, ...body, ...(idName === "" && idName',
    `${COSMOS} -t another process`,
  ],
  [
    "A document's id is the job's.",
    "core:store/cosmos-documents.ts",
    "return { id, ...body,",
    "return { ...body, id: body.jobId,",
    DOCUMENTS,
  ],
  [
    "A job's documents have its id a second time where the contract calls it jobId too.",
    "core:store/cosmos-documents.ts",
    'idName !== "jobId" && { [idName]: body.jobId }',
    "idName && { [`${idName}_`]: body.jobId }",
    JOB_ID,
  ],
  [
    "A later revision of a content is written over the first.",
    "core:store/cosmos-documents.ts",
    'revision === FIRST_REVISION ? "job" : `job-${revision}`',
    'revision < 0 ? "" : "job"',
    DOCUMENTS,
  ],
  [
    "The owner is left out of a job's content.",
    "core:store/cosmos-documents.ts",
    "...(owner && { owner }), job }",
    "...(owner === '' && { owner }), job }",
    DOCUMENTS,
  ],
  [
    "The id of content is that of another member.",
    "core:messaging/job-id.ts",
    "const { [idName]: id } = content as Members;",
    "const { [idName]: own, jobId: id = own } = content as Members;",
    JOB_ID,
  ],
  [
    "An id of content that is no text is taken for one.",
    "core:messaging/job-id.ts",
    'return typeof id === "string" ? id : "";',
    'return String(id ?? "");',
    JOB_ID,
  ],
  [
    "A message's own id goes before the one that its contract names.",
    "core:messaging/job-id.ts",
    "const found = own ?? jobId ??",
    "const found = jobId ?? own ??",
    JOB_ID,
  ],
  [
    "Content without an id is recorded.",
    "core:submission/owned-queue.ts",
    'if (checked.kind === "invalid") return checked.faults;',
    'if (checked.kind === "invalid") return [];',
    "core:messaging/job-id.test.ts",
  ],
  [
    "A message that comes twice is taken for a new job.",
    "core:store/cosmos-job-store.ts",
    "if (statusOf(cause) === CONFLICT) return false;",
    "if (statusOf(cause) === CONFLICT) return true;",
    `${COSMOS} -t a second create`,
  ],
  [
    "Of a bad submission only the first fault is named.",
    "core:submission/submission-message.ts",
    'if (!statuses || faults.length > 0) return { kind: "invalid", faults };',
    'if (!statuses || faults.length > 0) return { kind: "invalid", faults: faults.slice(0, 1) };',
    SUBMISSION,
  ],
  [
    "What stands for a hidden value is recorded as the value.",
    "core:submission/submission-message.ts",
    "return parse(body, envelope, rules, hiddenFaults);",
    "return parse(body, envelope, rules, () => []);",
    SUBMISSION,
  ],
  [
    "A bad submission is dropped, and not kept.",
    "core:submission/reject-submission.ts",
    'await context.messenger.quarantine({ subject: "InvalidSubmission", ...kept });',
    "",
    SUBMISSION,
  ],
  [
    "Another job under a known id counts as the same one.",
    "core:submission/record-submission.ts",
    "stored.record.owner === owner && sameAsStored(",
    "stored.record.owner === owner || sameAsStored(",
    SUBMISSION,
  ],
  [
    "The same job by another sender's queue counts as its own.",
    "core:submission/record-submission.ts",
    "stored.record.owner === owner && ",
    "",
    "operations:senders.test.ts",
  ],
  [
    "Any reply queue may be named.",
    "core:submission/submission-message.ts",
    "replyTo !== null && !replyQueuePattern.test(replyTo)",
    "replyTo === '' && !replyQueuePattern.test(replyTo)",
    SUBMISSION,
  ],
  [
    "A sender's own queue takes ids without its prefix.",
    "core:submission/owned-queue.ts",
    "jobId.startsWith(own.idPrefix)",
    "jobId.length > 0",
    OWNED,
  ],
  [
    "A shared queue takes a reserved prefix in another case.",
    "core:submission/owned-queue.ts",
    "jobId.toLowerCase().startsWith(idPrefix.toLowerCase())",
    "jobId.startsWith(idPrefix)",
    OWNED,
  ],
  [
    "A shared queue may name a reply queue of another sender.",
    "core:submission/owned-queue.ts",
    'return owned.some(isOneOf) ? "belongs to another queue" : undefined;',
    "return undefined;",
    OWNED,
  ],
  [
    "A job that the store will never take is delivered again and again.",
    "core:submission/record-submission.ts",
    "if (cause instanceof NotStorable) return `job: ${cause.message}`;",
    "",
    `${LIMITS} -t a submission that the store will never take`,
  ],
  [
    "A duplicate of a job under way starts an attempt that was not claimed.",
    "core:submission/submit-job.ts",
    'record.attempt === 1 && ["Pending", "Processing"]',
    '["Pending", "Processing", "Processed", "Error"]',
    SUBMISSION,
    "operations:close-jobs.test.ts -t P1 P29",
  ],
  [
    "Whoever submits a job by HTTP does not own it.",
    "core:submission/submission-message.ts",
    "const owner = caller ?? (",
    "const owner = (",
    SUBMISSION,
  ],
  [
    "A job by HTTP may have an id of a queue's owner.",
    "core:submission/submission-message.ts",
    "caller === undefined ? queue : NO_QUEUE",
    "queue",
    SUBMISSION,
  ],
]);
