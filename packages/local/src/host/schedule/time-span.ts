// A TimeSpan as .NET reads it with the invariant culture (TimeSpan.Parse), which host.json and the settings of triggers use.

const LIMITS = { hours: 23, minutes: 59, seconds: 59 };
/** The longest TimeSpan: 64 bits of 100 nanoseconds, which are one more below zero. */
const MOST_TICKS = 2n ** 63n - 1n;
const TICKS_PER_SECOND = 10_000_000n;
/** A number of a TimeSpan has 28 bits. */
const MOST = 2 ** 28 - 1;

const [D, H, M] = ["(?<days>\\d+)", "(?<hours>\\d+)", "(?<minutes>\\d+)"];
const [S, F] = ["(?<seconds>\\d+)", "(?<seconds>\\d*)\\.(?<fraction>\\d+)"];
/** In the order in which they are tried: `24:00:00` has no 24 hours, so it is 24 days. */
const FORMS = [
  D,
  `${H}:${M}`,
  `${H}:${M}:${S}`,
  `${D}[.:]${H}:${M}`,
  `${H}:${M}:${F}`,
  `${D}[.:]${H}:${M}:${S}`,
  `${D}[.:]${H}:${M}:${F}`,
].map((form) => new RegExp(`^${form}$`));

/** Milliseconds, negative with a minus in front; undefined where it is no TimeSpan. */
export function timeSpanMs(text: string): number | undefined {
  const [, minus, digits = ""] = /^\s*(-?)([\d.:]+)\s*$/.exec(text) ?? [];
  for (const form of FORMS) {
    const ticks = lengthTicks(form.exec(digits)?.groups);
    if (ticks === undefined || ticks > MOST_TICKS + (minus ? 1n : 0n)) continue;
    return Number(minus ? -ticks : ticks) / 10_000;
  }
  return undefined;
}

function lengthTicks(groups: Record<string, string | undefined> | undefined): bigint | undefined {
  if (!groups) return undefined;
  const { days, hours, minutes, seconds, fraction } = groups;
  const [d = 0, h = 0, m = 0, s = 0] = [days, hours, minutes, seconds].map((part) => Number(part ?? 0));
  if (d > MOST || h > LIMITS.hours || m > LIMITS.minutes || s > LIMITS.seconds) return undefined;
  const ticks = fraction ? ticksOf(fraction) : 0;
  if (ticks === undefined) return undefined;
  return BigInt(((d * 24 + h) * 60 + m) * 60 + s) * TICKS_PER_SECOND + BigInt(ticks);
}

/** A second has ten million. More than seven digits are rounded where the first is a zero, and are refused where it is not. */
function ticksOf(fraction: string): number | undefined {
  const value = Number(fraction);
  if (value > MOST || (value > 9_999_999 && !fraction.startsWith("0"))) return undefined;
  return Math.round(value * 10 ** (7 - fraction.length));
}
