// What a queue is set to: read from ARM properties, the shape of Bicep files and of the administration protocol.
import { z } from "zod";

const MILLISECONDS = { day: 86_400_000, hour: 3_600_000, minute: 60_000, second: 1000 };
/** Service Bus writes "never" as .NET's largest TimeSpan, P10675199DT2H48M5.4775807S. */
const NEVER_MS = 10_675_199 * MILLISECONDS.day;
const MAX_LOCK_MS = 5 * MILLISECONDS.minute;
const DURATION = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/** @returns milliseconds, or `undefined` if it is no ISO 8601 duration of days and shorter. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (!match || text === "P" || text.endsWith("T")) return undefined;
  const [, days = "0", hours = "0", minutes = "0", seconds = "0"] = match;
  const ms =
    Number(days) * MILLISECONDS.day +
    Number(hours) * MILLISECONDS.hour +
    Number(minutes) * MILLISECONDS.minute +
    Math.round(Number(seconds) * MILLISECONDS.second);
  return ms >= NEVER_MS ? Number.POSITIVE_INFINITY : ms;
}

const duration = z.string().transform((text, context) => {
  const ms = parseDuration(text);
  if (ms === undefined) context.addIssue({ code: "custom", message: `${text} is not an ISO 8601 duration` });
  return ms ?? 0;
});

const lockDuration = duration.refine((ms) => ms <= MAX_LOCK_MS, { error: "has to be PT5M at most" });

const unsupported = z.undefined({ error: "is not supported by this broker" }).optional();

// Other ARM properties, such as sizes, are kept for the administration client and have no effect here.
const armProperties = z.looseObject({
  lockDuration: lockDuration.prefault("PT1M"),
  maxDeliveryCount: z.int().positive().default(10),
  defaultMessageTimeToLive: duration.prefault("P10675199DT2H48M5.4775807S"),
  deadLetteringOnMessageExpiration: z.boolean().default(false),
  requiresDuplicateDetection: z.boolean().default(false),
  duplicateDetectionHistoryTimeWindow: duration.prefault("PT10M"),
  requiresSession: z.boolean().default(false),
  status: z.literal("Active", { error: "is not supported by this broker but as Active" }).default("Active"),
  forwardTo: unsupported,
  forwardDeadLetteredMessagesTo: unsupported,
});

/** As written in ARM: names of Microsoft.ServiceBus/namespaces/queues, durations in ISO 8601. */
export type ArmProperties = Readonly<Record<string, unknown>>;

export interface QueueSettings {
  readonly lockDurationMs: number;
  readonly maxDeliveryCount: number;
  /** `Infinity`: messages live on. */
  readonly defaultTtlMs: number;
  readonly deadLetterOnExpiration: boolean;
  /** 0: duplicates are not detected. */
  readonly duplicateWindowMs: number;
  readonly requiresSession: boolean;
}

/** A text names every fault. */
export function parseSettings(queue: string, properties: ArmProperties): QueueSettings | string {
  const { data, error } = armProperties.safeParse(properties);
  if (!data) return `Queue ${queue}: ${z.prettifyError(error)}`;
  return {
    lockDurationMs: data.lockDuration,
    maxDeliveryCount: data.maxDeliveryCount,
    defaultTtlMs: data.defaultMessageTimeToLive,
    deadLetterOnExpiration: data.deadLetteringOnMessageExpiration,
    duplicateWindowMs: data.requiresDuplicateDetection ? data.duplicateDetectionHistoryTimeWindow : 0,
    requiresSession: data.requiresSession,
  };
}

/** Throws what `parseSettings` finds wrong. */
export function readSettings(queue: string, properties: ArmProperties): QueueSettings {
  const settings = parseSettings(queue, properties);
  if (typeof settings === "string") throw new Error(settings);
  return settings;
}
