// When the app's store was away, as the supervisor of this process saw it while it led (P12).

import { instant } from "../domain/duration.ts";
import type { Away } from "../domain/record/wait.ts";
import type { Absences } from "./leadership.ts";

/** @param now milliseconds since 1970 */
export function createAbsences(now: () => number): Absences {
  let failedSince: number | undefined;
  let last: Away | undefined;
  return {
    seen() {
      if (failedSince !== undefined) last = { from: instant(failedSince), until: instant(now()) };
      failedSince = undefined;
    },
    failed() {
      failedSince ??= now();
    },
    followed() {
      failedSince = undefined;
    },
    last: () => last,
  };
}
