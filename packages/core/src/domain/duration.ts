// ISO 8601 durations and instants, in the format of the settings and the records.

const DURATION = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,3})?)S)?)?$/;
const UNITS_MS = [86_400_000, 3_600_000, 60_000, 1000] as const;

/** `PT1M30S` as milliseconds; undefined if it is not a positive duration of days, hours, minutes and seconds. */
export function durationMs(text: string): number | undefined {
  const parts = DURATION.exec(text)?.slice(1);
  if (!parts) return undefined;
  const total = UNITS_MS.reduce((sum, unitMs, index) => sum + Number(parts[index] ?? 0) * unitMs, 0);
  return total > 0 ? Math.round(total) : undefined;
}

/** Milliseconds since 1970, in the format of the records. */
export function instant(ms: number): string {
  return new Date(ms).toISOString();
}

/** The instant `ms` milliseconds after `at`, in the format of the records. */
export function after(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString();
}
