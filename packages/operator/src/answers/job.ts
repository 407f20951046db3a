// Jobs in lists, one complete job, and the answer to an action on it.
import { z } from "zod";
import { wait } from "./held-up.ts";
import { count, direction, errorKind, instant, processState, skipCause, stepState } from "./parts.ts";

export const jobError = z.object({
  kind: errorKind,
  message: z.string(),
  step: z.string().nullable(),
  agent: z.string().nullable(),
  at: instant,
});

const jobSummary = z.object({
  jobId: z.string(),
  workflow: z.object({ name: z.string(), version: z.int() }),
  processState,
  direction,
  attempt: z.int(),
  failureCount: z.int(),
  priority: z.enum(["normal", "high"]),
  createdAt: instant,
  updatedAt: instant,
  error: jobError.nullable(),
  steps: z.record(z.string(), stepState),
});

/** `GET /api/jobs`. */
export const jobPage = z.object({
  jobs: z.array(jobSummary),
  continuation: z.string().optional(),
  /** Without an index for the filter: how many jobs this page has searched, and down to which time of receipt. */
  looked: z.object({ jobs: count, downTo: instant }).optional(),
});

/** `GET /api/job-count`: up to 200, and whether there are more; null if no index answers the filter. */
export const jobTotal = z.strictObject({ count: count.nullable(), isMore: z.boolean() });

const run = z.object({
  state: stepState,
  scheduledAt: instant.nullable(),
  startBy: instant.nullable(),
  completeBy: instant.nullable(),
  retryCount: z.int(),
  /** How many of the retries count against the threshold; absent: none. */
  failureCount: z.int().optional(),
  waitCount: z.int(),
  error: z.string().nullable(),
  endpoint: z.string().nullable(),
  because: z.string().nullable(),
  startedAt: instant.nullable(),
  endedAt: instant.nullable(),
  /** For a step that its service does later: the acceptance, and the service's reports since. */
  accepted: z
    .object({
      at: instant,
      reference: z.string().optional(),
      lastReportAt: instant.optional(),
      progress: z.string().optional(),
      /** When its assignee was reminded; null until then. */
      remindedAt: instant.nullable().optional(),
    })
    .optional(),
  /** The last technical error of the last attempt in which its agent timed out. */
  expiry: z
    .object({
      at: instant,
      attempt: z.int(),
      tries: z.int(),
      endpoint: z.string().nullable(),
      message: z.string(),
      misconfigured: z.boolean().optional(),
      /** The answer may be about this job alone. */
      ofRequest: z.boolean().optional(),
      /** The app's own code threw: `endpoint` is the place. */
      ofCode: z.boolean().optional(),
    })
    .optional(),
});

const stepRecord = run.extend({
  agent: z.string(),
  result: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullable(),
  compensation: run.nullable(),
  outcomeUnknown: z.boolean().optional(),
  /** Who has to act while it awaits its report. */
  assignee: z.string().optional(),
  /** For a skipped step: the reason. */
  skipped: z.object({ cause: skipCause, message: z.string() }).optional(),
  /** For a step with a condition: the result of the condition. */
  decided: z.object({ condition: z.string(), holds: z.boolean(), at: instant }).optional(),
});

const outboxMessage = z.object({
  status: z.string(),
  attempt: z.int(),
  at: instant,
  step: z.string().optional(),
  direction: z.literal("compensate").optional(),
});

const stateRecord = jobSummary.omit({ steps: true }).extend({
  steps: z.record(z.string(), stepRecord),
  /** Once its compensation is finished, the job goes forward again. */
  thenForward: z.literal(true).optional(),
  lockedBy: z.string().nullable(),
  completeBy: instant.nullable(),
  dueAt: instant.optional(),
  /** When the deadline of the whole job passes; absent without one, and once it is compensated or has ended. */
  deadlineAt: instant.nullable().optional(),
  jobRevision: z.int(),
  correlationId: z.string(),
  /** The sender, if the job came by its own queue. */
  owner: z.string().optional(),
  replyTo: z.string().nullable(),
  traceparent: z.string().nullable(),
  history: z.array(z.object({ at: instant, what: z.string(), by: z.string() })),
  outbox: z.array(outboxMessage),
});

const notAllowed = z.object({ allowed: z.literal(false), reason: z.string() });
const permission = z.union([z.object({ allowed: z.literal(true) }), notAllowed]);
const resubmission = z.union([
  z.object({
    allowed: z.literal(true),
    requires: z.literal("compensatedManually").optional(),
    /** In which direction the job then goes on. */
    direction: z.enum(["forward", "compensate"]),
    /** The steps that run again after a fault: under their next idempotency key (rejected for good), or under the same (outcome unknown). */
    keys: z.object({ next: z.array(z.string()), same: z.array(z.string()) }),
    /** It goes forward if the request has `"direction": "forward"`. */
    orForward: z.literal(true).optional(),
  }),
  notAllowed,
]);

const workflowStep = z.object({
  name: z.string(),
  agent: z.string(),
  operation: z.string(),
  transport: z.enum(["activity", "queue"]).optional(),
  after: z.array(z.string()),
  completeWithin: z.string(),
  compensation: z.union([z.object({ operation: z.string() }), z.enum(["nothing", "manual"])]),
});

/** `GET /api/jobs/{jobId}`. */
export const inspection = z.object({
  etag: z.string(),
  record: stateRecord,
  job: z.record(z.string(), z.unknown()),
  /**
   * The statuses that its requester has received, and those that are sent, perhaps again, before the next attempt: `unwanted` if the requester wants no such status, or named no queue.
   */
  statuses: z.array(outboxMessage.extend({ delivery: z.enum(["sent", "owed", "unwanted"]) })),
  /** The workflow's steps; null if the app does not have that version any more. */
  workflow: z.object({ steps: z.array(workflowStep) }).nullable(),
  /** Why it does not continue now; empty if it has ended. */
  waits: z.array(wait.extend({ text: z.string() })),
  actions: z.object({
    resubmit: resubmission,
    compensate: permission,
    cancel: permission,
    extend: permission,
    markResolved: permission,
  }),
  /** The steps, in which direction, whose outcome is unknown and can be recorded now. */
  unknownOutcomes: z.array(z.object({ step: z.string(), direction: z.enum(["forward", "compensate"]) })),
});

/** The answer to an action on a job that was done, or that found the job at another version (412). */
export const acted = z.object({
  jobId: z.string(),
  state: processState,
  attempt: z.int(),
  direction: z.enum(["forward", "compensate"]),
  /** Once its compensation is finished, the job goes forward again. */
  thenForward: z.literal(true).optional(),
  etag: z.string(),
});

export type JobSummary = z.output<typeof jobSummary>;
export type JobTotal = z.output<typeof jobTotal>;
export type JobPage = z.output<typeof jobPage>;
export type Inspection = z.output<typeof inspection>;
export type StepRecord = z.output<typeof stepRecord>;
export type StepRun = z.output<typeof run>;
export type WorkflowStep = z.output<typeof workflowStep>;
export type Acted = z.output<typeof acted>;
