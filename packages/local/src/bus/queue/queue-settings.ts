// What a queue is set to: read from ARM properties, the shape of Bicep files and of the administration protocol.
import { z } from "zod";
import { BUS_LIMITS } from "../limits.ts";

const MILLISECONDS = { day: 86_400_000, hour: 3_600_000, minute: 60_000, second: 1000 };
/** Service Bus writes "never" as .NET's largest TimeSpan, P10675199DT2H48M5.4775807S. */
const NEVER_MS = 10_675_199 * MILLISECONDS.day;
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

const aboveZero = duration.refine((ms) => ms > 0, { error: "has to be longer than zero" });
const lockDuration = aboveZero.refine((ms) => ms <= BUS_LIMITS.lockMs.value, { error: "has to be PT5M at most" });
const duplicateWindow = duration.refine(
  (ms) => ms >= BUS_LIMITS.leastDuplicateWindowMs.value && ms <= BUS_LIMITS.duplicateWindowMs.value,
  { error: "has to be between PT20S and P7D" },
);
/** As the service writes that a queue stays. */
const noIdleTime = duration.refine((ms) => ms === Number.POSITIVE_INFINITY, {
  error: "deletions of idle queues are not supported by this broker: a queue stays until it is deleted",
});
const { entityMegabytes, partitionedMegabytes, usualMegabytes } = BUS_LIMITS;
const MEGABYTE = 1024 * 1024;
const megabytes = z.int().refine((size) => size > 0 && size % usualMegabytes.value === 0, {
  error: `has to be a multiple of ${usualMegabytes.value}`,
});
const mostDeliveries = BUS_LIMITS.maxDeliveryCount.value;

/** What a standard namespace has, or what a premium one may be set to; here it has no effect. */
const STANDARD_KILOBYTES = 256;
const maxMessageSize = z.number().refine((size) => size === STANDARD_KILOBYTES || (size >= 1024 && size <= 102_400), {
  // Clients look for these words.
  error: "the value for 'MaxMessageSizeInKilobytes' must be between 1024 and 102400, in the premium tier alone",
});

const STATUSES = ["Active", "Disabled", "SendDisabled", "ReceiveDisabled"];

/** An entity's path; the administration protocol has it as a whole URL. */
const path = z.string().transform((text) => text.replace(/^[a-z]+:\/\/[^/]*\//i, ""));

// Other ARM properties, such as sizes, are kept for the administration client and have no effect here.
const armProperties = z
  .looseObject({
    lockDuration: lockDuration.prefault("PT1M"),
    maxDeliveryCount: z.int().min(1).max(mostDeliveries).default(10),
    defaultMessageTimeToLive: aboveZero.prefault("P10675199DT2H48M5.4775807S"),
    deadLetteringOnMessageExpiration: z.boolean().default(false),
    requiresDuplicateDetection: z.boolean().default(false),
    duplicateDetectionHistoryTimeWindow: duplicateWindow.prefault("PT10M"),
    autoDeleteOnIdle: noIdleTime.optional(),
    userMetadata: z.string().max(BUS_LIMITS.userMetadata.value).optional(),
    requiresSession: z.boolean().default(false),
    status: z.string().default("Active"),
    maxMessageSizeInKilobytes: maxMessageSize.optional(),
    maxSizeInMegabytes: megabytes.default(usualMegabytes.value),
    enablePartitioning: z.boolean().optional(),
    forwardTo: path.optional(),
    forwardDeadLetteredMessagesTo: path.optional(),
  })
  .refine(({ requiresSession, forwardTo }) => !(requiresSession && forwardTo), {
    error: "cannot be set where sessions are required",
    path: ["forwardTo"],
  })
  .refine(({ maxSizeInMegabytes, ...others }) => maxSizeInMegabytes <= mostMegabytes(others), {
    error: `has to be ${entityMegabytes.value} at most, or ${partitionedMegabytes.value} with partitions`,
    path: ["maxSizeInMegabytes"],
  });

/** As a partitioned entity, one of a premium namespace may be larger. */
function mostMegabytes(given: {
  enablePartitioning?: boolean | undefined;
  maxMessageSizeInKilobytes?: number | undefined;
}): number {
  const isPremium = (given.maxMessageSizeInKilobytes ?? STANDARD_KILOBYTES) > STANDARD_KILOBYTES;
  return (given.enablePartitioning || isPremium ? partitionedMegabytes : entityMegabytes).value;
}

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
  readonly isPartitioned: boolean;
  /** What it may hold. */
  readonly mostBytes: number;
  readonly canSend: boolean;
  readonly canReceive: boolean;
  /** The path of the queue that takes this one's messages. */
  readonly forwardTo: string | undefined;
  readonly forwardDeadLettersTo: string | undefined;
}

/** A text names every fault. */
export function parseSettings(name: string, properties: ArmProperties): QueueSettings | string {
  const { data, error } = armProperties.safeParse(properties);
  if (!data) return `Queue ${name}: ${z.prettifyError(error)}`;
  const { status } = data;
  if (!STATUSES.includes(status)) return `Queue ${name}: status is ${status}, and can be ${STATUSES.join(", ")}`;
  return {
    lockDurationMs: data.lockDuration,
    maxDeliveryCount: data.maxDeliveryCount,
    defaultTtlMs: data.defaultMessageTimeToLive,
    deadLetterOnExpiration: data.deadLetteringOnMessageExpiration,
    duplicateWindowMs: data.requiresDuplicateDetection ? data.duplicateDetectionHistoryTimeWindow : 0,
    requiresSession: data.requiresSession,
    isPartitioned: data.enablePartitioning ?? false,
    mostBytes: data.maxSizeInMegabytes * MEGABYTE,
    canSend: status !== "Disabled" && status !== "SendDisabled",
    canReceive: status !== "Disabled" && status !== "ReceiveDisabled",
    forwardTo: data.forwardTo || undefined,
    forwardDeadLettersTo: data.forwardDeadLetteredMessagesTo || undefined,
  };
}

/** Throws what `parseSettings` finds wrong. */
export function readSettings(name: string, properties: ArmProperties): QueueSettings {
  const settings = parseSettings(name, properties);
  if (typeof settings === "string") throw new Error(settings);
  return settings;
}
