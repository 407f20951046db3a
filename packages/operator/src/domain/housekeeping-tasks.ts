// Whether housekeeping gets to its end: a timer that has stopped says nothing, and what is over would be kept for ever.

export interface Tasks {
  /** When a process of the app last said that it is there, and since when there has been one: after a stop of the whole app the last run is old. */
  readonly aliveAt: string | null;
  readonly upSince: string | null;
  /** By the event of each task that was seen, when it last got to its end; null for never. */
  readonly ran: { readonly [task: string]: { readonly firstAt: string; readonly finishedAt: string | null } };
}

type Sign =
  | { readonly kind: "ran"; readonly task: string; readonly finished: boolean; readonly at: string }
  | { readonly kind: "alive"; readonly at: string };

/** A process says so more often. */
const GAP_MS = 3_600_000;
/** A run each hour: a day without one that got to its end is no bad moment. */
const LATE_MS = 25 * 3_600_000;
/** The one that runs in every app. */
const ALWAYS = "OrchestrationsRemoved";
const WORDS: { readonly [task: string]: string } = {
  [ALWAYS]: "the engine's data",
  JobsClosed: "what is to be closed",
};

export function tasksAfter({ aliveAt, upSince, ran }: Tasks, sign: Sign): Tasks {
  const { at } = sign;
  if (sign.kind === "alive") {
    const isGap = aliveAt === null || upSince === null || Date.parse(at) - Date.parse(aliveAt) > GAP_MS;
    return { aliveAt: at, upSince: isGap ? at : upSince, ran };
  }
  const { firstAt = at, finishedAt = null } = ran[sign.task] ?? {};
  return {
    aliveAt,
    upSince,
    ran: { ...ran, [sign.task]: { firstAt, finishedAt: sign.finished ? at : finishedAt } },
  };
}

/** The tasks that did not get to their end for a day in which the app ran. */
export function isBehind({ upSince, ran }: Tasks, now: number): { readonly task: string; readonly since: string }[] {
  if (upSince === null) return [];
  const seen = { [ALWAYS]: { firstAt: upSince, finishedAt: null }, ...ran };
  return Object.entries(seen).flatMap(([task, { firstAt, finishedAt }]) => {
    const [since = upSince] = [finishedAt ?? firstAt, upSince].sort().reverse();
    return now - Date.parse(since) > LATE_MS ? [{ task: WORDS[task] ?? task, since }] : [];
  });
}
