// When a timer is due: NCRONTAB of five or six fields, or a fixed time span, in the zone of WEBSITE_TIME_ZONE (UTC without it).
import { Cron } from "croner";
import { NotNcrontab, plainNcrontab } from "./ncrontab.ts";
import { timeSpanMs } from "./time-span.ts";

export interface Schedule {
  /** The first occurrence after `after`; undefined when there is none any more. */
  next(after: Date): Date | undefined;
}

/** Throws when `text` is no schedule: as in Azure, what is not NCRONTAB may be a time span. */
export function parseSchedule(text: string, timeZone: string | undefined): Schedule {
  try {
    return cronSchedule(plainNcrontab(text), timeZone);
  } catch (cause) {
    if (!(cause instanceof NotNcrontab)) throw cause;
    const intervalMs = timeSpanMs(text);
    if (intervalMs === undefined) throw new Error(`"${text}" is not a schedule: ${cause.message}`, { cause });
    if (intervalMs <= 0) throw new Error(`"${text}" is not a time span above zero`);
    return { next: (after) => new Date(after.getTime() + intervalMs) };
  }
}

/** Of what `parseSchedule` takes. */
export function isTimeSpan(text: string): boolean {
  return !text.trim().includes(" ");
}

/** NCRONTAB wants day of month AND day of week to match. */
function cronSchedule(plain: string, timeZone: string | undefined): Schedule {
  const options = { mode: "5-or-6-parts", domAndDow: true, timezone: timeZone ?? "UTC", paused: true } as const;
  const cron = new Cron(plain, options);
  return { next: (after) => cron.nextRun(after) ?? undefined };
}
