// The all-clear of the first view: only if each of its queries was answered, recently, and has nothing for a person.
import { needsPerson } from "@scheduler-agent-supervisor/operator/domain";
import type { UseQueryResult } from "@tanstack/react-query";
import { isAnswering, isCurrent } from "../api/clock.ts";
import type { Session } from "../api/contract.ts";
import {
  useAgentHealth,
  useAttention,
  useAwaiting,
  useChanges,
  useDeadLetterCounts,
  useHeldUp,
  useOpenBulk,
  useReports,
  useSession,
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

interface Check {
  readonly state: "known" | "unknown" | "loading";
  /** Whether the last answer, however old, has something for a person. */
  readonly needs: boolean;
}

function checkOf<T>(query: UseQueryResult<T>, isClear: (data: T) => boolean, isFresh = isCurrent): Check {
  const { data, error } = query;
  if (data === undefined) return { state: error ? "unknown" : "loading", needs: false };
  const isKnown = !error && isFresh(query);
  return { state: isKnown ? "known" : "unknown", needs: !isClear(data) };
}

/** Null if the app could not read them. */
function pausesOf(session: UseQueryResult<Session>): Check {
  const check = checkOf(session, ({ pauses }) => (pauses ?? []).length === 0);
  return session.data?.pauses === null ? { ...check, state: "unknown" } : check;
}

export function AllClear() {
  const now = useNow(TICK_MS);
  const checks: { readonly [part: string]: Check } = {
    [ALL_CLEAR.app]: checkOf(useChanges(), () => true, isAnswering),
    [ALL_CLEAR.errors]: checkOf(useAttention(), ({ count, isAll }) => count === 0 && isAll),
    [HELD_UP.title]: checkOf(useHeldUp(), ({ count, isAll }) => count === 0 && isAll),
    [ATTENTION.messages]: checkOf(useDeadLetterCounts(), ({ queues }) =>
      queues.every((queue) => "count" in queue && queue.count === 0),
    ),
    [AWAITING.title]: checkOf(useAwaiting(), ({ steps, isAll }) => steps.length === 0 && isAll),
    [BULK.runs]: checkOf(useOpenBulk(), ({ runs }) => runs.every((run) => !needsPerson(run, now))),
    [ALL_CLEAR.pauses]: pausesOf(useSession()),
    [OVERVIEW.waiting]: checkOf(useWaitingMessages(), (data) => messageTroubles(data).length === 0),
    [OVERVIEW.reports]: checkOf(useReports(), (data) => reportTroubles(data).length === 0),
    [TEXT.supervision]: checkOf(useSupervisor(), (data) => supervisorTroubles(data).length === 0),
    [TEXT.agents]: checkOf(
      useAgentHealth(),
      (data) => shownAgentTroubles(data).length === 0 && data.pauses.length === 0,
    ),
  };
  const all = Object.entries(checks);
  const needs = all.some(([, check]) => check.needs);
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
