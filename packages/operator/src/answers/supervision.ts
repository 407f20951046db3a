// The leader, and the decisions of the sweeps.
import { z } from "zod";
import { instant, processState } from "./parts.ts";

/** `GET /api/supervisor`: the leader of several supervisors, and the gauges. */
export const supervisor = z.strictObject({
  /** Null if there has been no leader yet. */
  leader: z
    .strictObject({
      name: z.string(),
      epoch: z.int(),
      since: instant.nullable(),
      /** False if its lease has expired and no other supervisor has become leader since. */
      leads: z.boolean(),
      /** Why no supervisor can become leader; null if one can. Absent if a version of the app before this answers. */
      blocked: z.string().nullable().optional(),
      /** Why its sweeps fail, and since when; null if the last one did not. Absent if a version of the app before this answers. */
      failing: z.strictObject({ since: instant, fault: z.string() }).nullable().optional(),
    })
    .nullable(),
  /** Whether the gauges are measured, on which alerts depend. Absent if a version of the app before this answers. */
  gauges: z
    .strictObject({
      /** Null if they never were. */
      lastAt: instant.nullable(),
      isLate: z.boolean(),
      /** What could not be measured in at least two runs, and since when. */
      failing: z.strictObject({ since: instant, fault: z.string() }).nullable(),
    })
    .optional(),
});

const snapshot = z.strictObject({
  processState,
  attempt: z.int(),
  failureCount: z.int(),
  step: z.string().nullable(),
});

const sweep = z.strictObject({
  kind: z.literal("sweep"),
  id: z.string(),
  at: instant,
  endedAt: instant,
  leader: z.string(),
  epoch: z.int(),
  report: z.record(z.string(), z.union([z.number(), z.boolean(), z.string()])),
});

/** An agent that was not done in time; its error is null if it could not report one. */
const agentTimeout = z.strictObject({
  step: z.string(),
  agent: z.string().nullable(),
  attempt: z.int(),
  tries: z.int().nullable(),
  endpoint: z.string().nullable(),
  message: z.string().nullable(),
});

const decision = z.strictObject({
  kind: z.literal("decision"),
  id: z.string(),
  at: instant,
  jobId: z.string(),
  epoch: z.int(),
  rule: z.string(),
  verdict: z.string(),
  outcome: z.enum(["applied", "lost", "broken"]),
  /** The fault that prevented a verdict or its write. */
  fault: z.string().nullable(),
  before: snapshot,
  /** Null unless applied. */
  after: snapshot.nullable(),
  /** The reason for the decision, if an agent did not answer. */
  stop: agentTimeout.optional(),
});

const lateReply = z.strictObject({
  kind: z.literal("lateReply"),
  id: z.string(),
  at: instant,
  jobId: z.string(),
  attempt: z.int(),
  step: z.string(),
  reason: z.string(),
});

const operatorAction = z.strictObject({
  kind: z.literal("operatorAction"),
  id: z.string(),
  at: instant,
  operator: z.string(),
  /** Such as `resubmit`. */
  action: z.string(),
  reason: z.string().nullable(),
  /** `done`, or the reason for the rejection. */
  outcome: z.string(),
  /** Null if it is not about one job. */
  jobId: z.string().nullable(),
  /** The queue and the number of a dead letter, such as `quarantine/7`. */
  message: z.string().nullable(),
});

const auditEntry = z.discriminatedUnion("kind", [sweep, decision, lateReply, operatorAction]);

/** `GET /api/jobs/{jobId}/audit`: the decisions and actions on one job, the newest first. */
export const jobAudit = z.strictObject({
  entries: z.array(auditEntry),
  /** False where there are more. */
  isAll: z.boolean(),
  /** The latest replies that no step waited for any more, the newest first; on the first page. */
  lateReplies: z.array(lateReply),
  /** For the entries before these; absent where there are none. */
  continuation: z.string().optional(),
});

/** `GET /api/audit-log`: what supervisors decided and operators did in a time, over all jobs, the newest first. */
export const auditPage = z.strictObject({
  from: instant,
  /** Excluded. */
  to: instant,
  entries: z.array(auditEntry),
  continuation: z.string().optional(),
});

/** `GET /api/reports`: what the app says of itself that no job shows. */
export const reports = z.strictObject({
  asOf: instant,
  reports: z.array(
    z.strictObject({
      name: z.string(),
      since: instant,
      words: z.string(),
      /** To dismiss it; another one once it has happened again. Absent of a state that lasts. */
      id: z.string().optional(),
      /** Absent if it is about no job. */
      jobId: z.string().optional(),
    }),
  ),
});

export type Reports = z.output<typeof reports>;
export type Supervisor = z.output<typeof supervisor>;
export type LateReply = z.output<typeof lateReply>;
export type AuditEntry = z.output<typeof auditEntry>;
export type JobAudit = z.output<typeof jobAudit>;
export type AuditPage = z.output<typeof auditPage>;
export type AgentTimeout = z.output<typeof agentTimeout>;
export type Snapshot = z.output<typeof snapshot>;
