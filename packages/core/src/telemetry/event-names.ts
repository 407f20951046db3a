// The events, by the names that the alert rules match: each with its level, when it is reported, and its attributes.

export type Level = "info" | "warn" | "error";

type EventDefinition = readonly [level: Level, when: string, attributes: string];

export const EVENTS = {
  JobSubmitted: ["info", "a job is recorded", "jobId, processState, workflow"],
  DuplicateSubmission: ["info", "a known job was submitted again", "jobId, processState, workflow"],
  JobQuarantined: ["warn", "a job's message cannot be read, or its id is known", "messageId, faultCount, firstFault"],
  ReplyQuarantined: ["warn", "an agent's reply cannot be read", "faults"],
  MessageNotStorable: [
    "error",
    "the store will never accept a write; its message is in the quarantine",
    "queue, messageId, reason",
  ],
  ReplyUnclaimed: ["warn", "a reply is recorded, but no attempt waits for it", "jobId, attempt, step"],
  JobClaimed: ["info", "an attempt claimed the job", "jobId, attempt, direction, priority"],
  ClaimRejected: ["info", "another attempt holds the job, or it has ended", "jobId, attempt"],
  StepCompleted: ["info", "a step is completed", "jobId, attempt, step, agent, state, endpoint, ms"],
  StepRejected: ["warn", "a service rejected a step permanently", "jobId, attempt, step, agent, ms, message"],
  StepCompensated: [
    "info",
    "a step is compensated, or that was rejected permanently",
    "jobId, attempt, step, agent, state, endpoint, ms",
  ],
  JobProcessed: ["info", "all steps are done", "jobId, attempt, workflow, criticalMs"],
  JobErrored: ["error", "a job ended in Error", "jobId, attempt, kind, step, agent, message"],
  JobToBeCompensated: ["warn", "a compensation begins", "jobId, attempt, message"],
  JobCompensated: ["warn", "a job is compensated", "jobId, attempt, kind, step, agent, message"],
  JobCancelled: ["info", "a cancelled job ended", "jobId, attempt, kind, step, agent, message"],
  JobDeadlinePassed: ["warn", "the deadline of a job has passed", "jobId, attempt, deadlineAt, onExpired"],
  JobExpired: [
    "warn",
    "an attempt timed out",
    "jobId, attempt, step, agent, completeBy; endpoint, message and tries of the last technical error",
  ],
  JobRetried: ["info", "a job is retried", "jobId, attempt, step, agent, failureCount"],
  JobWaits: ["info", "a job is retried later", "jobId, attempt, step, agent, failureCount, until"],
  JobHeld: [
    "warn",
    "an endpoint's address or our credential is wrong: retried later",
    "jobId, attempt, step, agent, until",
  ],
  AttemptStartRepeated: ["info", "no attempt claimed a Pending job in time: started again", "jobId, attempt"],
  JobRescheduled: [
    "warn",
    "no agent started a step in time: scheduled again",
    "jobId, attempt, step, agent, failureCount",
  ],
  JobResumed: ["info", "the steps' wait has ended: the next attempt begins", "jobId, attempt"],
  StepSkipped: [
    "warn",
    "a job continues without a step; at level info: by condition, `needs`, or because no step needs it",
    "jobId, attempt, step, agent, cause, message",
  ],
  CompensationIncomplete: ["error", "the compensation of a step failed", "jobId, attempt, step, agent, message"],
  StepAccepted: [
    "info",
    "a step's service does it later, until `completeBy`",
    "jobId, attempt, step, agent, completeBy, reference",
  ],
  StepReminder: [
    "warn",
    "half of the time of an assignee is over",
    "jobId, attempt, step, agent, direction, assignee, completeBy",
  ],
  StepNotTakenUp: [
    "warn",
    "an agent got no capacity in time, or its attempt was superseded",
    "jobId, attempt, step, agent, tries",
  ],
  TakeUpUnrecorded: ["warn", "an agent could not record its start", "jobId, attempt, step, cause"],
  AgentTimedOut: ["warn", "complete-by passed before an agent was done", "jobId, attempt, step, agent, tries"],
  CodeFailed: [
    "error",
    "the app's own code threw: what needs it is held",
    "workflow, version, place, message, jobId, attempt, step, agent",
  ],
  LateReplyRejected: ["warn", "a reply arrived too late", "jobId, attempt, step, reason"],
  MessageHeld: ["warn", "messages are held under their locks during an outage", "queue, cause"],
  MessagePostponed: ["warn", "a message went back to its queue", "queue, jobId, heldMs, cause, outage"],
  OutageEnded: ["info", "the first message after held ones is processed", "queue, ms"],
  NewerRecordLeft: ["error", "a newer version wrote the record: it was not changed", "jobId, cause"],
  StatusUndeliverable: ["warn", "the client's reply queue does not accept a message", "jobId, status, queue"],
  StatusDelayed: ["warn", "a status message could not be sent: a sweep sends it", "jobId, status, cause"],
  EngineLost: ["warn", "the engine does not know a claimed attempt", "hub, since, jobs"],
  EndpointHealth: [
    "warn",
    "an endpoint's outage began (`to` is broken) or ended (healthy), or it asked for a pause (resting)",
    "agent, endpoint, to (healthy, resting, broken), because, awayMs at the end",
  ],
  EndpointMisconfigured: [
    "error",
    "a try failed by the address, our credential, or an answer that the agent does not declare",
    "agent, operation, endpoint, message",
  ],
  SupervisorSweep: [
    "info",
    "a sweep ended",
    "found, retried, rescheduled, skipped, resumed, later, waiting, held, toBeCompensated, failed, startsRepeated, published, lost, broken, throttled, finished, endedBy, leader, epoch, ms",
  ],
  SupervisorFollows: ["info", "another supervisor is active", "leader"],
  OperatorActed: ["info", "an operator acted, or was rejected", "jobId, attempt, action, operator, outcome"],
  RecoveryFailed: ["error", "a record could not be handled", "jobId, cause, outage"],
  OrchestrationsRemoved: ["info", "housekeeping removed ended attempts", "removed, doneUntil, finished"],
  CancelAccepted: ["info", "a requester cancelled its job", "jobId, reason"],
  CancelRejected: ["info", "a requester's cancellation was not accepted", "jobId, reason"],
  JobsClosed: ["info", "housekeeping closed jobs", "closed, lost, broken, finished"],
  JobNotClosed: ["error", "the content of a job cannot be read for the archive", "jobId, cause"],
  AuditLogUnwritten: ["warn", "the supervisors' audit log could not be written", "sweepId or jobId, cause, outage"],
  GaugesNotMeasured: ["warn", "a gauge could not be measured, or the bulk runs not checked", "what, cause"],
  BulkRunContinued: ["warn", "an action on many jobs stood still and was started again", "bulkId, progressAt, at"],
  AppNotStarted: ["error", "settings or workflows have faults", "faults"],
  WorkflowEdited: ["error", "a version's steps were edited: the app does not start", "faults"],
  WorkflowVersionMissing: [
    "error",
    "at start: jobs need a version that this app does not have",
    "workflow, version, state, pending, processing, inError",
  ],
  WorkflowVersionInUse: [
    "info",
    "at start, for each older version: whether jobs need it",
    "workflow, version, state (needed, mayBeRetired), pending, processing, inError",
  ],
  WorkflowsUnchecked: ["warn", "at start: edits were not checked", "cause"],
} as const satisfies { readonly [name: string]: EventDefinition };

export type EventName = keyof typeof EVENTS;

export type Attributes = { readonly [name: string]: string | number | boolean | null };
