// The types of the API's answers, from the schemas that the server answers by.
export type {
  Acted,
  AgentHealth,
  AgentTimeout,
  Attention,
  AttentionJob,
  AttentionPage,
  AuditEntry,
  AuditPage,
  Awaiting,
  AwaitingStep,
  BulkList,
  BulkPreview,
  BulkProgress,
  BulkRun,
  CauseGroup,
  Changes,
  DeadLetter,
  DeadLetterCauses,
  DeadLetterCounts,
  DeadLetterPage,
  Discarded,
  DiscardedMessage,
  DiscardedPage,
  EndpointHealth,
  ErrorKind,
  HeldUp,
  HeldUpPage,
  Inspection,
  JobAudit,
  JobPage,
  JobSummary,
  JobTotal,
  LastHour,
  MessageWaveResults,
  Overview,
  Pause,
  Pauses,
  ProcessState,
  Reports,
  Resent,
  Session,
  SkipCause,
  Snapshot,
  StepRecord,
  StepRun,
  StepState,
  Supervisor,
  TakeAnswer,
  TakenJobs,
  Traffic,
  Wait,
  WaitingMessages,
  WorkflowStep,
} from "@scheduler-agent-supervisor/operator/contract";

import type { BulkRun, Inspection } from "@scheduler-agent-supervisor/operator/contract";

/** What an action on many jobs is for. */
export type BulkSelection =
  | { readonly group: string }
  | { readonly jobIds: readonly string[] }
  | { readonly filter: NonNullable<BulkRun["filter"]> };

export type JobRecord = Inspection["record"];
export type JobAction = keyof Inspection["actions"];
