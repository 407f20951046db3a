// Where each alert, and each event that warns, is seen: the first view's section, and the terminal's line.
import type { EventName } from "@scheduler-agent-supervisor/core/telemetry";
import { REPORTED } from "@scheduler-agent-supervisor/operator/domain";

/** An answer of the API with the trouble in it, what the first view then says, and in which section. */
export interface Place {
  readonly path: string;
  readonly answer: object;
  readonly section: string;
  readonly home: RegExp;
  readonly terminal: RegExp;
}

const AT = "2026-01-31T12:00:00.000Z";
const wait = (of: object) => ({
  ...{ reason: "retry", step: "takePayment", agent: "payment", direction: "forward", cause: "HTTP 503" },
  ...{ since: AT, until: null, ...of },
});
const held = (of: object) => ({
  path: "held-up",
  answer: {
    ...{ count: 2, isAll: true },
    groups: [
      { id: "g", wait: wait(of), causes: ["HTTP 503"], steps: ["takePayment"], trouble: null, count: 2, retried: 2 },
    ],
  },
  section: "Held up",
});
const inError = {
  path: "attention",
  answer: {
    ...{ count: 1, isAll: true },
    groups: [
      {
        ...{
          id: "c",
          workflow: "order-fulfilment",
          step: "takePayment",
          kind: "expired",
          cause: "no answer",
          count: 1,
        },
        ...{ example: "no answer", firstSeen: AT, lastSeen: AT, hours: Array.from({ length: 24 }, () => 0) },
      },
    ],
  },
  section: "By cause",
  home: /no answer/,
  terminal: /1 order in Error: no answer/,
};
const letters = (queue: string, section: RegExp, terminal: RegExp) => ({
  path: "dead-letters",
  answer: {
    queues: [
      { queue, count: 3, isAll: true, oldestAt: AT, causes: [{ cause: "no such step", count: 3, oldestAt: AT }] },
    ],
  },
  section: "Messages that could not be processed",
  home: section,
  terminal,
});
const LEADER = { name: "s", epoch: 3, since: AT, leads: true, failing: null };
const WELL = { lastAt: AT, isLate: false, failing: null };
const endpoint = (of: object) => ({
  path: "agents",
  answer: {
    ...{ pauses: [], workflows: [] },
    agents: [
      {
        name: "payment",
        instances: [
          {
            ...{ instance: "i", at: AT },
            endpoints: [
              {
                endpoint: "https://pay.example/",
                inFlight: 0,
                capacity: 9,
                isSlow: false,
                lastError: "HTTP 503",
                ...of,
              },
            ],
          },
        ],
      },
    ],
  },
  section: "Agents",
});
const reported = (name: keyof typeof REPORTED, subject: string, cause: string) => {
  const words = REPORTED[name].words(subject, cause);
  return saidOf(name, words);
};
const saidOf = (name: string, words: string) => {
  const shown = new RegExp(words.replaceAll(/[()?.]/g, "\\$&"));
  return {
    ...{ path: "reports", answer: { reports: [{ name, since: AT, words }] } },
    ...{ section: "Reported by the app", home: shown, terminal: shown },
  };
};

/** By the alert's name. */
export const ALERTS: { readonly [alert: string]: Place } = {
  "job-in-error": inError,
  "jobs-left-in-error": inError,
  "slo-ended-right": inError,
  "jobs-rejected": inError,
  "jobs-not-done": reported("ManyNotDone", "reserveStock", "out of stock"),
  "supervisor-stopped": {
    ...{ path: "supervisor", answer: { leader: { ...LEADER, leads: false }, gauges: WELL }, section: "Supervision" },
    ...{ home: /No supervisor is active/, terminal: /No supervisor is active/ },
  },
  "gauges-stopped": {
    ...{ path: "supervisor", answer: { leader: LEADER, gauges: { ...WELL, isLate: true } }, section: "Supervision" },
    ...{ home: /The gauges' timer does not run/, terminal: /The gauges' timer does not run/ },
  },
  "slo-critical-time": reported("TooSlow", "order-fulfilment", ""),
  "jobs-overdue": {
    ...held({ reason: "supervisor", agent: null, step: null, cause: null }),
    ...{ home: /Overdue: no supervisor has continued it/, terminal: /2 orders: .*overdue/i },
  },
  "outbox-stuck": {
    ...held({ reason: "supervisor", agent: null, step: null, cause: null }),
    ...{ home: /Overdue: no supervisor has continued it/, terminal: /2 orders: .*overdue/i },
  },
  "queue-age": {
    path: "waiting-messages",
    answer: { queues: [{ queue: "jobs", waits: [{ cause: "notTaken", since: AT }] }] },
    ...{ section: "Waiting messages", home: /Messages in jobs wait for a function/ },
    terminal: /Messages in jobs wait for a function/,
  },
  "agent-held-up": { ...held({}), home: /payment: HTTP 503/, terminal: /2 orders: .*payment: HTTP 503/ },
  "endpoint-misconfigured": {
    ...held({ reason: "configuration", cause: "HTTP 401" }),
    ...{ home: /payment: HTTP 401/, terminal: /2 orders: .*payment: HTTP 401/ },
  },
  "breaker-open": {
    ...endpoint({ health: "broken" }),
    ...{ home: /payment: an endpoint gets no calls: HTTP 503/, terminal: /payment: an endpoint gets no calls/ },
  },
  "code-failed": reported("CodeFailed", "condition isHigh (order-fulfilment v2)", "TypeError: no total"),
  "compensation-incomplete": reported("CompensationIncomplete", "order-1", "reserveStock: HTTP 409"),
  "function-failures": reported("FunctionFailed", "startAttempt", "Error: no"),
  "housekeeping-behind": reported("JobNotClosed", "order-1", "the content is no JSON"),
  "client-unreachable": reported("StatusUndeliverable", "replies-shop", ""),
  "audit-log-unwritten": reported("AuditLogUnwritten", "", "403"),
  "dead-letters": letters("scheduler", /scheduler/, /scheduler: 3 messages with "no such step"/),
  "quarantine-not-empty": letters("quarantine", /quarantine/i, /quarantine: 3 messages with "no such step"/),
  "cosmos-throttling": reported("StoreThrottled", "", ""),
};

/** An alert whose place the event has too; or why it has none. */
type EventPlace = string | { readonly none: string };
const OF_ITS_JOB = { none: "its job says it, and goes on or is in one of the lists" };

/** By the event's name, of those at warning or error. */
export const EVENT_PLACES: { readonly [event in EventName]?: EventPlace } = {
  JobQuarantined: "quarantine-not-empty",
  ReplyQuarantined: "quarantine-not-empty",
  MessageNotStorable: "quarantine-not-empty",
  ReplyUnclaimed: OF_ITS_JOB,
  StepRejected: OF_ITS_JOB,
  JobErrored: "job-in-error",
  JobToBeCompensated: OF_ITS_JOB,
  JobCompensated: "jobs-not-done",
  JobDeadlinePassed: OF_ITS_JOB,
  JobExpired: OF_ITS_JOB,
  JobHeld: "endpoint-misconfigured",
  JobRescheduled: "agent-held-up",
  StepSkipped: OF_ITS_JOB,
  CompensationIncomplete: "compensation-incomplete",
  StepReminder: { none: "the step stands among those that await a report" },
  StepNotTakenUp: "agent-held-up",
  TakeUpUnrecorded: { none: "the store did not answer: no list is known" },
  AgentTimedOut: "agent-held-up",
  CodeFailed: "code-failed",
  LateReplyRejected: { none: "the job has gone on without it; Supervision lists it" },
  MessageHeld: "queue-age",
  MessagePostponed: "queue-age",
  NewerRecordLeft: "jobs-overdue",
  StatusUndeliverable: "client-unreachable",
  StatusDelayed: "agent-held-up",
  EngineLost: { none: "the sweep that says it starts the attempts again" },
  EndpointHealth: "breaker-open",
  EndpointMisconfigured: "endpoint-misconfigured",
  RecoveryFailed: "outbox-stuck",
  JobNotClosed: "housekeeping-behind",
  AuditLogUnwritten: "audit-log-unwritten",
  GaugesNotMeasured: "gauges-stopped",
  BulkRunContinued: { none: "it goes on; what stands still is among the actions on many jobs" },
  AppNotStarted: { none: "the app does not answer: nothing is known" },
  WorkflowEdited: { none: "the app does not answer: nothing is known" },
  WorkflowVersionMissing: "queue-age",
  WorkflowsUnchecked: { none: "the store did not answer at the start: no list was known" },
};

/** Housekeeping that has stopped says nothing: its sign does. */
export const BEHIND = saidOf("HousekeepingBehind", "Housekeeping does not get to its end");
