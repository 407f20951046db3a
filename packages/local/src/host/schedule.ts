// When a timer is due: NCRONTAB of five or six fields, or a fixed time span, in the zone of WEBSITE_TIME_ZONE (UTC without it).
import { Cron } from "croner";
import { parseTimeSpan } from "./host-json.ts";

export interface Schedule {
  /** The first occurrence after `after`; undefined when there is none any more. */
  next(after: Date): Date | undefined;
}

/** Throws when `text` is no schedule. */
export function parseSchedule(text: string, timeZone: string | undefined): Schedule {
  if (/^[\d.:]+$/.test(text)) {
    const intervalMs = parseTimeSpan(text);
    if (!intervalMs) throw new Error(`"${text}" is not a time span above zero`);
    return { next: (after) => new Date(after.getTime() + intervalMs) };
  }
  const cron = new Cron(text, {
    mode: "5-or-6-parts",
    // NCRONTAB wants day of month AND day of week to match, and reads `0/5` as "from 0 on, every 5".
    domAndDow: true,
    sloppyRanges: true,
    timezone: timeZone ?? "UTC",
    paused: true,
  });
  return { next: (after) => cron.nextRun(after) ?? undefined };
}
