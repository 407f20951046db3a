// Every route of the operator's API: its requests and answers, from the schemas that check both.

import {
  contractQuery,
  erasureBody,
  operatorBodies,
  outcomeBody,
  reportBody,
} from "@scheduler-agent-supervisor/core/messaging";
import type { z } from "zod";
import * as console from "../contract.ts";
import { attentionQuery } from "../messaging/attention-request.ts";
import { awaitingQuery } from "../messaging/awaiting-request.ts";
import { bulkListQuery, bulkPreviewBody, bulkStartBody } from "../messaging/bulk-request.ts";
import {
  deadLetterBodies,
  deadLetterCausesQuery,
  deadLetterQuery,
  discardedQuery,
  messageWaveBody,
} from "../messaging/dead-letter-request.ts";
import { dismissalBody } from "../messaging/dismissal-request.ts";
import { countJobsQuery, listRequest } from "../messaging/list-request.ts";
import { pauseBody } from "../messaging/pause-request.ts";
import { auditLogQuery, auditQuery } from "../messaging/supervisor-request.ts";
import { takeBody } from "../messaging/take-request.ts";
import * as answers from "./answers.ts";

export interface ApiOperation {
  readonly summary: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Whether it accepts `If-Match`. */
  readonly isConditional?: boolean;
  /** Whether what its query names may not be there. */
  readonly mayBeMissing?: boolean;
  /** 200 if absent. */
  readonly status?: number;
  readonly answer: z.ZodType;
  /** The content of a 409, if it is not a reason. */
  readonly rejection?: z.ZodType;
}

const acts = (summary: string, body: z.ZodType): ApiOperation => ({
  summary,
  body,
  isConditional: true,
  answer: console.acted,
});
const changesRun = (summary: string, body?: z.ZodType): ApiOperation => ({
  summary,
  ...(body && { body }),
  answer: console.bulkRun,
});

/** By method and route. */
export const OPERATIONS: { readonly [route: string]: ApiOperation } = {
  "GET session": { summary: "The signed-in operator and the environment", answer: console.session },
  "GET changes": {
    summary: "How often something has happened in the process that answers; the store is not read",
    answer: console.changes,
  },
  "GET overview": { summary: "Jobs by state", answer: console.overview },
  "GET traffic": {
    summary: "Throughput, times, age of the queues, workflow versions in flight",
    answer: console.traffic,
  },
  "GET last-hour": {
    summary: "The last hour in slots of two minutes: received, processed, in Error, oldest message, open breakers",
    answer: console.lastHour,
  },
  "GET waiting-messages": {
    summary: "Since when messages wait in the app's queues, by cause",
    answer: console.waitingMessages,
  },
  "GET reports": {
    summary: "What the app says of itself that no job shows, such as a function that fails",
    answer: console.reports,
  },
  "POST reports/{id}/dismiss": {
    summary: "Ends a report whose cause is dealt with; it is back when it happens again",
    body: dismissalBody,
    answer: console.reports,
  },
  "GET attention": { summary: "Jobs that need a person, in groups by cause", answer: console.attention },
  "GET attention/jobs": {
    summary: "Jobs that need a person, one by one",
    query: attentionQuery,
    answer: console.attentionPage,
  },
  "GET held-up": { summary: "Jobs that are held up, in groups by agent and cause", answer: console.heldUp },
  "GET held-up/jobs": {
    summary: "Jobs that are held up, one by one",
    query: attentionQuery,
    answer: console.heldUpPage,
  },
  "GET agents": { summary: "Pauses, and the health of each endpoint", answer: console.agentHealth },
  "POST pauses": { summary: "Pauses or resumes a workflow or an agent", body: pauseBody, answer: console.pauses },
  "GET taken": { summary: "Who handles which job", answer: console.takenJobs },

  "GET jobs": { summary: "A page of jobs, the newest first", query: listRequest, answer: console.jobPage },
  "GET job-count": {
    summary: "The number of jobs of a filter, up to 200, and whether there are more",
    query: countJobsQuery,
    answer: console.jobTotal,
  },
  "GET jobs/{jobId}": { summary: "One job", answer: console.inspection },
  "GET jobs/{jobId}/audit": { summary: "The audit log of one job", query: auditQuery, answer: console.jobAudit },
  "POST jobs/{jobId}/take": {
    summary: "Takes a job, so that others see who handles it, or releases it",
    body: takeBody,
    answer: console.takeAnswer,
  },
  "POST jobs/{jobId}/resubmit": acts("Resumes a job in Error", operatorBodies.resubmit),
  "POST jobs/{jobId}/compensate": acts("Compensates a job", operatorBodies.compensate),
  "POST jobs/{jobId}/cancel": acts("Cancels a job", operatorBodies.cancel),
  "POST jobs/{jobId}/extend": acts("Gives a job more time", operatorBodies.extend),
  "POST jobs/{jobId}/markResolved": acts("Marks a job in Error as resolved", operatorBodies.markResolved),
  "POST jobs/{jobId}/steps/{step}/report": acts("Reports a step that is done later", reportBody),
  "POST jobs/{jobId}/steps/{step}/outcome": acts("Records the outcome of a step that is unknown", outcomeBody),
  "POST submissions": {
    summary: "Submits a job of the caller's own: the same again is the same job",
    body: answers.document,
    status: 202,
    answer: answers.submission,
  },
  "GET submissions/{jobId}": { summary: "A job of the caller's own", answer: answers.submission },
  "POST submissions/{jobId}/cancel": {
    summary: "Cancels a job of the caller's own",
    body: operatorBodies.cancel,
    status: 202,
    answer: answers.submission,
  },
  "GET awaiting": {
    summary: "The steps that are done later, with their deadlines and assignees",
    query: awaitingQuery,
    answer: console.awaiting,
  },
  "POST jobs/{jobId}/erase": {
    summary: "Removes all documents of a job that is over",
    body: erasureBody,
    isConditional: true,
    answer: answers.erased,
  },
  "GET job-contract": {
    summary: "The contract of a workflow's content, as JSON Schema",
    query: contractQuery,
    answer: answers.document,
  },

  "GET result-contract/{agent}/{operation}": {
    summary: "The result of an agent's operation, as JSON Schema",
    answer: answers.document,
  },

  "GET bulk": {
    summary: "The last actions on many jobs; or all that are open",
    query: bulkListQuery,
    answer: console.bulkList,
  },
  "POST bulk": {
    summary: "Previews an action on many jobs; nothing is done",
    body: bulkPreviewBody,
    status: 201,
    answer: console.bulkPreview,
  },
  "GET bulk/{bulkId}": { summary: "The progress of an action on many jobs", answer: console.bulkProgress },
  "POST bulk/{bulkId}/start": changesRun("Starts the previewed action", bulkStartBody),
  "POST bulk/{bulkId}/pause": changesRun("Pauses the action: it starts no further job"),
  "POST bulk/{bulkId}/resume": changesRun("Resumes the action"),
  "POST bulk/{bulkId}/cancel": changesRun("Cancels the action for the remaining jobs"),

  "GET dead-letters": {
    summary: "Counts of all queues, or a page of one",
    query: deadLetterQuery,
    mayBeMissing: true,
    answer: answers.deadLetters,
  },
  "GET dead-letter-causes": {
    summary: "The messages of a queue in groups by cause",
    query: deadLetterCausesQuery,
    mayBeMissing: true,
    answer: console.deadLetterCauses,
  },
  "POST dead-letter-waves": {
    summary: "Sends again or discards up to 25 messages; one edit for all",
    body: messageWaveBody,
    answer: console.messageWave,
  },
  "GET dead-letters/{queue}/{sequenceNumber}": { summary: "One message", answer: console.deadLetter },
  "POST dead-letters/{queue}/{sequenceNumber}/resend": {
    summary: "Sends a copy, then removes the message",
    body: deadLetterBodies.resend,
    answer: console.resent,
  },
  "POST dead-letters/{queue}/{sequenceNumber}/discard": {
    summary: "Removes the message; a copy can be sent again for some days",
    body: deadLetterBodies.discard,
    answer: console.discarded,
  },
  "GET discarded-messages": {
    summary: "Discarded messages, the latest first",
    query: discardedQuery,
    answer: console.discardedPage,
  },
  "GET discarded-messages/{id}": { summary: "One discarded message", answer: console.discardedMessage },
  "POST discarded-messages/{id}/resend": {
    summary: "Sends a discarded message again",
    body: deadLetterBodies.resend,
    answer: console.resentDiscarded,
  },

  "GET supervisor": { summary: "The active supervisor", answer: console.supervisor },
  "GET audit-log": {
    summary: "What supervisors decided and operators did in a time, over all jobs, with late replies",
    query: auditLogQuery,
    answer: console.auditPage,
  },
  "POST supervisor/sweep": { summary: "Runs a sweep now", answer: answers.swept, rejection: answers.following },
  "GET workflows": {
    summary: "The versions of workflows, and the number of jobs that need each",
    answer: answers.workflowVersions,
  },
  "GET openapi.json": { summary: "This document", answer: answers.document },
};
