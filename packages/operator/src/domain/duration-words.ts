// Durations in words, for the console and the command line.
const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
] as const;

/** `1 min 30.5 s`: every unit that is not 0; seconds with their fraction. */
export function exactDuration(ms: number): string {
  return partsOf(ms).join(" ");
}

/** `3 h 12 min`: two units at most, whole; below a second in milliseconds. */
export function roundedDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  return partsOf(Math.floor(ms / 1000) * 1000)
    .slice(0, 2)
    .join(" ");
}

function partsOf(ms: number): string[] {
  let rest = Math.max(0, ms);
  return UNITS.flatMap(([unit, size]) => {
    const count = unit === "s" ? rest / size : Math.floor(rest / size);
    rest -= count * size;
    return count > 0 ? [`${count} ${unit}`] : [];
  });
}
