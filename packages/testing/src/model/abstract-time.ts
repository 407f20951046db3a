// Time in the model: "now" is always the same instant, and a tick of the clock moves every other instant into the past.

/** What the slower host's clock shows, in every state. */
export const NOW_MS = Date.parse("2026-01-01T12:00:00.000Z");
export const TICK_MS = 30_000;
/** What is before it is before everything that an instant is ever compared with: now, less the clocks' skew of 1.5 ticks. */
const OVER_MS = NOW_MS - 2 * TICK_MS;
/**
 * An instant so long ago that how long makes no difference any more: also what a process that stood still makes of it is over,
 * for nothing is put off by more than 2 ticks (a wait, and the time for a claim after it).
 */
const LONG_AGO_MS = OVER_MS - 2 * TICK_MS;
export const LONG_AGO = new Date(LONG_AGO_MS).toISOString();

/** The deadline of a job that has not passed, in every state: it passes at any time, and is not counted down to. */
export const DEADLINE_AHEAD = "9999-01-01T00:00:00.000Z";

const INSTANT = /(?!9999)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const later = new Map<string, string>();

/** A JSON text as it reads one tick later. */
export function tickOn(json: string): string {
  return json.replace(INSTANT, oneTickOn);
}

/** The same, with all that is long ago kept as it was. */
export function tickOnExactly(json: string): string {
  return json.replace(INSTANT, (at) => new Date(Date.parse(at) - TICK_MS).toISOString());
}

/** Nothing is compared with anything that differs from it by more, once what the code adds to instants is added. */
const WIDEST_GAP_MS = 6 * TICK_MS;

/**
 * JSON texts that belong together as they read one tick later. A process compares what it has read at different times, so what is
 * long ago keeps its job and its distances, as far as these can make a difference.
 */
export function tickTogether(texts: readonly string[]): string[] {
  const instants = [...new Set(texts.flatMap((text) => text.match(INSTANT) ?? []))].sort().reverse();
  const moved = new Map<string, string>();
  let before = 0;
  let movedBefore = 0;
  for (const at of instants) {
    const ms = Date.parse(at);
    const movedMs =
      moved.size === 0 ? Math.max(ms - TICK_MS, LONG_AGO_MS) : movedBefore - Math.min(before - ms, WIDEST_GAP_MS);
    moved.set(at, new Date(movedMs).toISOString());
    before = ms;
    movedBefore = movedMs;
  }
  return texts.map((text) => text.replace(INSTANT, (at) => moved.get(at) ?? at));
}

/** A JSON text with nothing in it before what is long ago. */
export function fromLongAgoOn(json: string): string {
  return json.replace(INSTANT, (at) => (at < LONG_AGO ? LONG_AGO : at));
}

/** A JSON text with all that is over at one instant. */
export function forgetWhatIsOver(json: string): string {
  return json.replace(INSTANT, (at) => (Date.parse(at) <= OVER_MS ? LONG_AGO : at));
}

function oneTickOn(at: string): string {
  const known = later.get(at);
  if (known !== undefined) return known;
  const moved = new Date(Math.max(Date.parse(at) - TICK_MS, LONG_AGO_MS)).toISOString();
  later.set(at, moved);
  return moved;
}
