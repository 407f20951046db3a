// The all-clear of the first view: only if each of its queries was answered, recently, and has nothing for a person.
import { needsPerson } from "@scheduler-agent-supervisor/operator/internal/domain/bulk-troubles";
import type { UseQueryResult } from "@tanstack/react-query";
import { isAnswering, isCurrent } from "../api/clock.ts";
import type { Session } from "../api/contract.ts";
import {
  useAttention,
  useAwaiting,
  useChanges,
  useDeadLetterCounts,
  useHeldUp,
  useOpenBulk,
  useReports,
  useSession,
  useStandings,
  useSupervisor,
  useWaitingMessages,
} from "../api/queries.ts";
import { ATTENTION } from "../words/attention.ts";
import { AWAITING } from "../words/awaiting.ts";
import { BULK } from "../words/bulk.ts";
import { TEXT } from "../words/frame.ts";
import { ALL_CLEAR, HELD_UP } from "../words/held-up.ts";
import { OVERVIEW } from "../words/overview.ts";
import { Loading, Notice } from "./notices.tsx";
import { messageTroubles, reportTroubles, shownAgentTroubles, supervisorTroubles } from "./system-troubles.tsx";
import { useNow } from "./zone.tsx";

/** A machine that wakes up says nothing old for longer. */
const TICK_MS = 2_000;

interface Standing {
  readonly state: "known" | "unknown" | "loading";
  /** Whether the last answer, however old, has something for a person. */
  readonly needs: boolean;
}

function standingOf<T>(query: UseQueryResult<T>, isClear: (data: T) => boolean, isFresh = isCurrent): Standing {
  const { data, error } = query;
  if (data === undefined) return { state: error ? "unknown" : "loading", needs: false };
  const isKnown = !error && isFresh(query);
  return { state: isKnown ? "known" : "unknown", needs: !isClear(data) };
}

/** Null if the app could not read them. */
function pausesOf(session: UseQueryResult<Session>): Standing {
  const standing = standingOf(session, ({ pauses }) => (pauses ?? []).length === 0);
  return session.data?.pauses === null ? { ...standing, state: "unknown" } : standing;
}

export function AllClear() {
  const now = useNow(TICK_MS);
  const standings: { readonly [part: string]: Standing } = {
    [ALL_CLEAR.app]: standingOf(useChanges(), () => true, isAnswering),
    [ALL_CLEAR.errors]: standingOf(useAttention(), ({ count, isAll }) => count === 0 && isAll),
    [HELD_UP.title]: standingOf(useHeldUp(), ({ count, isAll }) => count === 0 && isAll),
    [ATTENTION.messages]: standingOf(useDeadLetterCounts(), ({ queues }) =>
      queues.every((queue) => "count" in queue && queue.count === 0),
    ),
    [AWAITING.title]: standingOf(useAwaiting(), ({ steps, isAll }) => steps.length === 0 && isAll),
    [BULK.runs]: standingOf(useOpenBulk(), ({ runs }) => runs.every((run) => !needsPerson(run, now))),
    [ALL_CLEAR.pauses]: pausesOf(useSession()),
    [OVERVIEW.waiting]: standingOf(useWaitingMessages(), (data) => messageTroubles(data).length === 0),
    [OVERVIEW.reports]: standingOf(useReports(), (data) => reportTroubles(data).length === 0),
    [TEXT.supervision]: standingOf(useSupervisor(), (data) => supervisorTroubles(data).length === 0),
    [TEXT.agents]: standingOf(
      useStandings(),
      (data) => shownAgentTroubles(data).length === 0 && data.pauses.length === 0,
    ),
  };
  const all = Object.entries(standings);
  const needs = all.some(([, standing]) => standing.needs);
  const unknown = all.flatMap(([part, { state }]) => (state === "unknown" ? [part] : []));
  if (unknown.length > 0) {
    return (
      <Notice title={needs ? ALL_CLEAR.unknownElse : ALL_CLEAR.unknown} kind="bad">
        <p>{ALL_CLEAR.unknownAbout(unknown.join(", "))}</p>
      </Notice>
    );
  }
  if (needs) return null;
  if (all.some(([, { state }]) => state === "loading")) return <Loading />;
  return (
    <Notice title={ATTENTION.nothing} kind="good">
      <p>{ATTENTION.nothingAbout}</p>
    </Notice>
  );
}
