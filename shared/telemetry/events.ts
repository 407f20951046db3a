// What the app says of itself: structured events, by names that the alert rules match.

export type EventName =
  | "OrderSubmitted"
  | "DuplicateSubmission"
  | "OrderQuarantined"
  | "OrderClaimed"
  | "ClaimRefused"
  | "StepCompleted"
  | "StepRejected"
  | "OrderProcessed"
  | "OrderErrored"
  | "OrderExpired"
  | "OrderRetried"
  | "OrderWokenAgain"
  | "OrderToBeUndone"
  | "StepUndone"
  | "OrderUndone"
  | "OrderWaits"
  | "AgentStoppedSilently"
  | "LateReplyRejected"
  | "StatusUndeliverable"
  | "StatusDelayed"
  | "SupervisorSweep"
  | "SupervisorFollows"
  | "SupervisorWhatIf"
  | "OperatorActed"
  | "LedgerUnwritten"
  | "RecoveryFailed";

export type Attributes = { readonly [name: string]: string | number | boolean | null };

export interface Telemetry {
  event(name: EventName, attributes: Attributes): void;
}

type Level = "info" | "warn" | "error";

/** Where events go: an invocation's context has these. */
export type EventLog = { readonly [level in Level]: (line: string) => void };

const LOUD: { readonly [name in EventName]?: Level } = {
  OrderQuarantined: "warn",
  StepRejected: "warn",
  OrderErrored: "error",
  OrderExpired: "warn",
  OrderToBeUndone: "warn",
  OrderUndone: "warn",
  AgentStoppedSilently: "warn",
  LateReplyRejected: "warn",
  StatusUndeliverable: "warn",
  StatusDelayed: "warn",
  RecoveryFailed: "error",
  LedgerUnwritten: "warn",
};

/** Events as one line of JSON each: the form in which Application Insights finds them in its traces. */
export function logTelemetry(log: EventLog): Telemetry {
  return {
    event(name, attributes) {
      log[LOUD[name] ?? "info"](JSON.stringify({ event: name, ...attributes }));
    },
  };
}
