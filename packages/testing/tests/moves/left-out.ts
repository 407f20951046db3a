// What no random run does, because the app can't tell it from an agent or a service that is late. Each is a limit of the app: who lifts it removes it here.
import { expiresAt, runsInHand, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { SCHEDULER, SUPERVISOR } from "../../src/world/processes.ts";
import { AGENTS } from "./random-business.ts";

const UNNOTICED_MS = 25_000;
/** Two ticks of the supervisor. */
const SEEN_AFTER_MS = 60_000;
/** More than the supervisor calls late (two minutes), and a few of its ticks. */
const LATE_MS = 300_000;
const LONG_MS = 600_000;

/**
 * Whose calls lose no answer. A scheduler's or an agent's activity is not run again: the status of a step that it recorded is never sent if another step
 * ends the job meanwhile. What the supervisor sends before it writes the record may be answered before, and is not sent again.
 */
export const NOT_LOST: ReadonlySet<string | undefined> = new Set([SCHEDULER, SUPERVISOR, ...AGENTS]);

/**
 * A part that is away while a step waits for its agent a second time: an engine or a bus that nobody calls, and a store between two ticks of the
 * supervisor. A store that is away for long while a queue has a reply that begins a wait: the service may have reported before that wait begins. And a bus
 * that is away over the end of a wait whose agent is asked again over its queue.
 */
export function isAwayLeftOut(
  { part, from, ms }: { readonly part: "store" | "bus" | "engine"; readonly from: number; readonly ms: number },
  record: StateRecord | undefined,
): boolean {
  const inHand = runsInHand(record?.steps ?? {});
  const scheduled = inHand.filter(({ run }) => run.state === "Scheduled");
  const isEndNear = inHand.some(({ run: { state, again, completeBy } }) => {
    return state === "Awaiting" && again && Date.parse(completeBy ?? "") < from + ms + SEEN_AFTER_MS;
  });
  if (part === "bus" && isEndNear) return true;
  const isUnseen = part === "store" ? ms < SEEN_AFTER_MS : ms > UNNOTICED_MS;
  const waitsAgain = scheduled.some(({ run }) => run.waitCount > 0);
  return (isUnseen && waitsAgain) || (part === "store" && ms > LONG_MS && scheduled.length > 0);
}

/** The app stands still until shortly after a step's second wait for its agent, or until shortly before or after the end of a wait for a service. */
export function isStopLeftOut(ms: number, to: number, record: StateRecord | undefined): boolean {
  const runs = runsInHand(record?.steps ?? {}).map(({ run }) => run);
  const isJudged = runs.some(
    (run) => run.state === "Scheduled" && run.waitCount > 0 && to - Date.parse(expiresAt(run)) < LATE_MS,
  );
  const isEndNear = runs.some(({ state, completeBy }) => {
    const leftMs = Date.parse(completeBy ?? "") - to;
    return state === "Awaiting" && leftMs > -LATE_MS && leftMs < SEEN_AFTER_MS;
  });
  return (isJudged && ms > UNNOTICED_MS) || (isEndNear && ms > SEEN_AFTER_MS);
}
