// The types of the API's answers, from the schemas that the server answers by.
export type {
  Acted,
  Attention,
  AttentionPage,
  BulkList,
  BulkPreview,
  BulkProgress,
  BulkRun,
  CauseGroup,
  DeadLetter,
  DeadLetterCounts,
  DeadLetterPage,
  ErrorKind,
  HandlingAnswer,
  Handlings,
  Inspection,
  LedgerEntry,
  LedgerPage,
  OrderPage,
  OrderSummary,
  Overview,
  ProcessState,
  Resent,
  Session,
  Standpoint,
  StepRecord,
  StepRun,
  StepState,
  Supervisor,
  WorkflowStep,
} from "../../../shared/messaging/console-contract.ts";

import type { Inspection } from "../../../shared/messaging/console-contract.ts";

export type OrderRecord = Inspection["record"];
export type OrderAction = keyof Inspection["actions"];
