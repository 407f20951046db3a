// How long a timer's message is invisible: whole seconds from when it is added, so a timer fires up to one early.

export function timerVisibilityMs(fireAt: number, addedAt: number, granularityMs: number): number {
  return Math.floor(Math.max(fireAt - addedAt, 0) / granularityMs) * granularityMs;
}
