// What no random run does, because the app can't tell it from an agent or a service that is late. Each is a limit of the app: who lifts it removes it here.
import { expiresAt, runsInHand, type StateRecord } from "@scheduler-agent-supervisor/core/domain";

const UNNOTICED_MS = 25_000;
/** Two ticks of the supervisor. */
const SEEN_AFTER_MS = 60_000;
/** More than the supervisor calls late (two minutes), and a few of its ticks. */
const LATE_MS = 300_000;

/**
 * A part that is away while a step waits for its agent a second time: an engine or a bus that nobody calls, and a store between two ticks of the
 * supervisor.
 */
export function isAwayLeftOut(
  { part, ms }: { readonly part: "store" | "bus" | "engine"; readonly ms: number },
  record: StateRecord | undefined,
): boolean {
  const inHand = runsInHand(record?.steps ?? {});
  const scheduled = inHand.filter(({ run }) => run.state === "Scheduled");
  const isUnseen = part === "store" ? ms < SEEN_AFTER_MS : ms > UNNOTICED_MS;
  const waitsAgain = scheduled.some(({ run }) => run.waitCount > 0);
  return isUnseen && waitsAgain;
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
