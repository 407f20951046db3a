// The all-clear of the first view: only if each of its queries was answered, recently, and has nothing for a person.
import type { UseQueryResult } from "@tanstack/react-query";
import {
  useAttention,
  useAwaiting,
  useDeadLetterCounts,
  useHeldUp,
  useSession,
  useStandings,
  useSupervisor,
  useWaitingMessages,
} from "../api/queries.ts";
import { ATTENTION } from "../words/attention.ts";
import { AWAITING } from "../words/awaiting.ts";
import { TEXT } from "../words/frame.ts";
import { ALL_CLEAR, HELD_UP } from "../words/held-up.ts";
import { OVERVIEW } from "../words/overview.ts";
import { Loading, Notice } from "./notices.tsx";
import { agentTroubles, messageTroubles, supervisorTroubles } from "./system-troubles.tsx";
import { useNow } from "./zone.tsx";

/** Longer than the longest pause between two requests, and the time for an answer. */
const FRESH_MS = 120_000;
const TICK_MS = 10_000;

type Standing = "clear" | "needs" | "unknown" | "loading";

function standingOf<T>(
  { data, error, dataUpdatedAt }: UseQueryResult<T>,
  now: number,
  isClear: (data: T) => boolean,
): Standing {
  if (data === undefined) return error ? "unknown" : "loading";
  if (!isClear(data)) return "needs";
  return error || now - dataUpdatedAt > FRESH_MS ? "unknown" : "clear";
}

export function AllClear() {
  const now = useNow(TICK_MS);
  const standings: { readonly [part: string]: Standing } = {
    [ALL_CLEAR.errors]: standingOf(useAttention(), now, ({ count }) => count === 0),
    [HELD_UP.title]: standingOf(useHeldUp(), now, ({ count }) => count === 0),
    [ATTENTION.messages]: standingOf(useDeadLetterCounts(), now, ({ queues }) =>
      queues.every((queue) => "count" in queue && queue.count === 0),
    ),
    [AWAITING.title]: standingOf(useAwaiting(), now, ({ steps }) => steps.length === 0),
    [ALL_CLEAR.pauses]: standingOf(useSession(), now, ({ pauses }) => pauses.length === 0),
    [OVERVIEW.waiting]: standingOf(useWaitingMessages(), now, (data) => messageTroubles(data).length === 0),
    [TEXT.supervision]: standingOf(useSupervisor(), now, (data) => supervisorTroubles(data).length === 0),
    // Of the pauses the session says nothing if they can't be read; this answer is none then.
    [TEXT.agents]: standingOf(
      useStandings(),
      now,
      (data) => agentTroubles(data).length === 0 && data.pauses.length === 0,
    ),
  };
  const is = (wanted: Standing) =>
    Object.entries(standings).flatMap(([part, standing]) => (standing === wanted ? [part] : []));
  if (is("needs").length > 0) return null;
  const unknown = is("unknown");
  if (unknown.length > 0) {
    return (
      <Notice title={ALL_CLEAR.unknown} kind="bad">
        <p>{ALL_CLEAR.unknownAbout(unknown.join(", "))}</p>
      </Notice>
    );
  }
  if (is("loading").length > 0) return <Loading />;
  return (
    <Notice title={ATTENTION.nothing} kind="good">
      <p>{ATTENTION.nothingAbout}</p>
    </Notice>
  );
}
