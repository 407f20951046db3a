// What the API answers to the console, in one place: the server's answers and the console's types both come from these schemas.
import { z } from "zod";

export const ENVIRONMENT_COLOURS = ["grey", "blue", "green", "orange", "red", "purple"] as const;

const instant = z.string();
const count = z.int().min(0);
const processState = z.enum(["Pending", "Processing", "Processed", "Error"]);
const stepState = z.enum(["NotStarted", "Scheduled", "Running", "Completed", "Failed", "Undone"]);
const direction = z.enum(["forward", "undo"]);
const errorKind = z.enum(["rejected", "expired", "undone", "notUndone", "settled", "undoAsked", "cancelled"]);

const orderError = z.object({
  kind: errorKind,
  message: z.string(),
  step: z.string().nullable(),
  agent: z.string().nullable(),
  at: instant,
});

/** `GET /api/session`: who asks, what they may do, and where they are. */
export const session = z.strictObject({
  operator: z.string(),
  mayOperate: z.boolean(),
  environment: z.strictObject({ name: z.string(), colour: z.enum(ENVIRONMENT_COLOURS) }),
  /** Of the console that this app serves: a page that is another build is out of date. */
  build: z.string(),
});

/** `GET /api/overview`: how many orders stand where. */
export const overview = z.strictObject({
  asOf: instant,
  counts: z.array(
    z.strictObject({
      state: processState,
      /** Why it is in Error; null for the other states. */
      kind: errorKind.nullable(),
      count,
    }),
  ),
  overdue: count,
});

const orderSummary = z.object({
  orderId: z.string(),
  workflow: z.object({ name: z.string(), version: z.int() }),
  processState,
  direction,
  attempt: z.int(),
  failureCount: z.int(),
  priority: z.enum(["normal", "high"]),
  createdAt: instant,
  updatedAt: instant,
  error: orderError.nullable(),
  steps: z.record(z.string(), stepState),
});

/** `GET /api/orders`. */
export const orderPage = z.object({ orders: z.array(orderSummary), continuation: z.string().optional() });

const group = z.strictObject({
  /** The same for the same cause, on every instance. */
  id: z.string(),
  workflow: z.string().nullable(),
  step: z.string().nullable(),
  kind: errorKind.nullable(),
  /** The message without its numbers and ids; null in the group of all that fits no other. */
  cause: z.string().nullable(),
  /** One message as it was. */
  example: z.string(),
  count,
  firstSeen: instant,
  lastSeen: instant,
  /** How many came in each of the last 24 hours, the oldest first. */
  hours: z.array(count),
});

/** `GET /api/attention`: the orders that a person has to see to, in groups by cause. */
export const attention = z.strictObject({
  asOf: instant,
  count,
  /** False where there are more than were counted. */
  isAll: z.boolean(),
  groups: z.array(group),
});

/** `GET /api/attention/orders`: the same one by one, what has waited longest last. */
export const attentionPage = z.strictObject({
  asOf: instant,
  count,
  isAll: z.boolean(),
  orders: z.array(orderSummary),
  /** Where the next page begins; absent on the last. */
  next: count.optional(),
});

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
});

const stepRecord = run.extend({
  agent: z.string(),
  result: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullable(),
  undo: run.nullable(),
  unsure: z.boolean().optional(),
});

const stateRecord = orderSummary.omit({ steps: true }).extend({
  steps: z.record(z.string(), stepRecord),
  lockedBy: z.string().nullable(),
  completeBy: instant.nullable(),
  dueAt: instant.optional(),
  orderRevision: z.int(),
  correlationId: z.string(),
  /** The sender whose own queue it came by. */
  owner: z.string().optional(),
  replyTo: z.string().nullable(),
  traceparent: z.string().nullable(),
  history: z.array(z.object({ at: instant, what: z.string(), by: z.string() })),
  notices: z.array(z.object({ status: z.string(), attempt: z.int(), at: instant, step: z.string().optional() })),
});

const permission = z.union([
  z.object({ allowed: z.literal(true), requires: z.literal("compensatedByHand").optional() }),
  z.object({ allowed: z.literal(false), reason: z.string() }),
]);

const workflowStep = z.object({
  name: z.string(),
  agent: z.string(),
  operation: z.string(),
  transport: z.enum(["activity", "queue"]).optional(),
  after: z.array(z.string()),
  completeWithin: z.string(),
  undo: z.union([z.object({ operation: z.string() }), z.enum(["nothing", "byHand"])]),
});

/** `GET /api/orders/{orderId}`. */
export const inspection = z.object({
  etag: z.string(),
  record: stateRecord,
  order: z.record(z.string(), z.unknown()),
  /** The steps as the workflow has them; null where the app has that version no longer. */
  workflow: z.object({ steps: z.array(workflowStep) }).nullable(),
  actions: z.object({
    resubmit: permission,
    undo: permission,
    cancel: permission,
    extend: permission,
    settle: permission,
  }),
});

/** What an action on an order answers when it was done, and when the order was at another version (412). */
export const acted = z.object({
  orderId: z.string(),
  state: processState,
  attempt: z.int(),
  etag: z.string(),
  startAt: instant.nullable().optional(),
});

const deadLetterSummary = z.object({
  sequenceNumber: z.string(),
  enqueuedAt: instant.nullable(),
  reason: z.string().nullable(),
  description: z.string().nullable(),
  deliveryCount: z.int(),
  messageId: z.string().nullable(),
  correlationId: z.string().nullable(),
  subject: z.string().nullable(),
  orderId: z.string().nullable(),
  bytes: z.int(),
});

/** `GET /api/dead-letters`. */
export const deadLetterCounts = z.object({
  queues: z.array(
    z.union([
      z.object({ queue: z.string(), count, isAll: z.boolean() }),
      z.object({ queue: z.string(), error: z.string() }),
    ]),
  ),
});

/** `GET /api/dead-letters?queue=`. */
export const deadLetterPage = z.object({
  queue: z.string(),
  messages: z.array(deadLetterSummary),
  next: z.string().optional(),
});

/** `GET /api/dead-letters/{queue}/{sequenceNumber}`. */
export const deadLetter = deadLetterSummary.extend({
  queue: z.string(),
  contentType: z.string().nullable(),
  replyTo: z.string().nullable(),
  timeToLiveMs: z.number().nullable(),
  applicationProperties: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  body: z.union([
    z.object({ kind: z.literal("json"), json: z.unknown() }),
    z.object({ kind: z.literal("text"), text: z.string() }),
    z.object({ kind: z.literal("binary"), base64: z.string() }),
  ]),
});

/** What a resubmission of a dead letter answers. */
export const resent = z.object({ target: z.string(), messageId: z.string(), removed: z.boolean() });

const bulkCounts = z.strictObject({ done: count, skipped: count, well: count, same: count, other: count });

const bulkRun = z.strictObject({
  bulkId: z.string(),
  action: z.enum(["resubmit", "undo", "settle", "cancel"]),
  state: z.enum(["previewed", "running", "paused", "stopped", "cancelled", "done"]),
  at: instant,
  by: z.string(),
  reason: z.string().nullable(),
  cause: z.string().nullable(),
  total: count,
  wave: count,
  counts: bulkCounts,
  /** The share of a wave that ended with the same cause again, in per cent, where it stopped itself for that. */
  stopped: z.string().nullable(),
  updatedAt: instant,
});

const notPossible = z.strictObject({ orderId: z.string(), reason: z.string() });

/** `POST /api/bulk`. */
export const bulkPreview = z.strictObject({ run: bulkRun, notPossible: z.array(notPossible) });

/** `GET /api/bulk`. */
export const bulkList = z.strictObject({ runs: z.array(bulkRun) });

/** `GET /api/bulk/{bulkId}`. */
export const bulkProgress = z.strictObject({
  run: bulkRun,
  /** A wave with a larger share of the same cause is the last one. */
  limit: z.number(),
  /** Of the wave that is under way. */
  now: bulkCounts,
  results: z.array(
    z.strictObject({
      orderId: z.string(),
      outcome: z.enum(["open", "done", "skipped"]),
      reason: z.string().nullable(),
      end: z.enum(["well", "same", "other"]).nullable(),
    }),
  ),
});

/** `GET /api/supervisor`: which of several supervisors leads. */
export const supervisor = z.strictObject({
  /** Null where nobody has led yet. */
  leader: z
    .strictObject({
      name: z.string(),
      epoch: z.int(),
      since: instant.nullable(),
      /** False where its time is over and nobody has taken the lead since. */
      leads: z.boolean(),
    })
    .nullable(),
});

const standpoint = z.strictObject({
  processState,
  attempt: z.int(),
  failureCount: z.int(),
  step: z.string().nullable(),
});

const ledgerEntry = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("sweep"),
    id: z.string(),
    at: instant,
    endedAt: instant,
    leader: z.string(),
    epoch: z.int(),
    report: z.record(z.string(), z.union([z.number(), z.boolean(), z.string()])),
  }),
  z.strictObject({
    kind: z.literal("decision"),
    id: z.string(),
    at: instant,
    orderId: z.string(),
    epoch: z.int(),
    rule: z.string(),
    verdict: z.string(),
    outcome: z.enum(["applied", "lost", "broken"]),
    /** Why it could not be dealt with. */
    fault: z.string().nullable(),
    before: standpoint,
    /** Null unless applied. */
    after: standpoint.nullable(),
  }),
  z.strictObject({
    kind: z.literal("lateReply"),
    id: z.string(),
    at: instant,
    orderId: z.string(),
    attempt: z.int(),
    step: z.string(),
    reason: z.string(),
  }),
]);

/** `GET /api/supervisor/entries`: a day's sweeps, decisions and late replies, the newest first. */
export const ledgerPage = z.strictObject({
  /** In UTC. */
  day: z.string(),
  entries: z.array(ledgerEntry),
  continuation: z.string().optional(),
});

/** `POST /api/claims`. */
export const handling = z.strictObject({
  target: z.strictObject({ kind: z.enum(["order", "group"]), id: z.string() }),
  etag: z.string(),
  claim: z.strictObject({ by: z.string(), until: instant }).nullable(),
  notes: z.array(z.strictObject({ at: instant, by: z.string(), text: z.string() })),
  /** Of a group: its orders, at most 50, when it was last changed. */
  orderIds: z.array(z.string()),
});

/** `GET /api/claims`: all claims and notes, what changed last first. */
export const handlings = z.strictObject({
  asOf: instant,
  /** False where there are more than were read. */
  isAll: z.boolean(),
  handlings: z.array(handling),
});

export type Handlings = z.output<typeof handlings>;
export type HandlingAnswer = z.output<typeof handling>;
export type Supervisor = z.output<typeof supervisor>;
export type LedgerEntry = z.output<typeof ledgerEntry>;
export type LedgerPage = z.output<typeof ledgerPage>;
export type Standpoint = z.output<typeof standpoint>;
export type BulkRun = z.output<typeof bulkRun>;
export type BulkPreview = z.output<typeof bulkPreview>;
export type BulkList = z.output<typeof bulkList>;
export type BulkProgress = z.output<typeof bulkProgress>;
export type Session = z.output<typeof session>;
export type Overview = z.output<typeof overview>;
export type OrderSummary = z.output<typeof orderSummary>;
export type OrderPage = z.output<typeof orderPage>;
export type Attention = z.output<typeof attention>;
export type CauseGroup = z.output<typeof group>;
export type AttentionPage = z.output<typeof attentionPage>;
export type Inspection = z.output<typeof inspection>;
export type StepRecord = z.output<typeof stepRecord>;
export type StepRun = z.output<typeof run>;
export type WorkflowStep = z.output<typeof workflowStep>;
export type Acted = z.output<typeof acted>;
export type DeadLetterCounts = z.output<typeof deadLetterCounts>;
export type DeadLetterPage = z.output<typeof deadLetterPage>;
export type DeadLetter = z.output<typeof deadLetter>;
export type Resent = z.output<typeof resent>;
export type ProcessState = z.output<typeof processState>;
export type StepState = z.output<typeof stepState>;
export type ErrorKind = z.output<typeof errorKind>;
