// Is it well, and since when not: in one sentence, from everything that can be wrong; and each trouble with the time it began.
import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "wouter";
import { isAnswering, isCurrent } from "../api/clock.ts";
import {
  useAgents,
  useAttention,
  useChanges,
  useDeadLetterCounts,
  useHeldUp,
  useOpenBulk,
  useOverview,
  useReports,
  useSession,
  useSupervisor,
  useWaitingMessages,
} from "../api/queries.ts";
import { ATTENTION } from "../words/attention.ts";
import { BULK } from "../words/bulk.ts";
import { TEXT } from "../words/frame.ts";
import { ALL_CLEAR, HELD_UP } from "../words/held-up.ts";
import { OVERVIEW } from "../words/overview.ts";
import { Loading, Notice } from "./notices.tsx";
import {
  messageTroubles,
  reportTroubles,
  runTroubles,
  shownAgentTroubles,
  supervisorTroubles,
  type Trouble,
} from "./system-troubles.tsx";
import { Age, Instant, Said, useNow } from "./zone.tsx";

/** A machine that wakes up says nothing old for longer. */
const TICK_MS = 2_000;

interface Troubles {
  readonly troubles: readonly Trouble[];
  /** The parts without a recent answer. */
  readonly unknown: readonly string[];
  readonly isLoading: boolean;
}

/** The earliest first. */
export function useTroubles(): Troubles {
  const now = useNow(TICK_MS);
  const [attention, heldUp, letters] = [useAttention(), useHeldUp(), useDeadLetterCounts()];
  const [agents, supervisor, overview, session] = [useAgents(), useSupervisor(), useOverview(), useSession()];
  const changes = useChanges();
  const [waiting, runs, reports] = [useWaitingMessages(), useOpenBulk(), useReports()];
  const parts: readonly (readonly [string, UseQueryResult<unknown>])[] = [
    [ALL_CLEAR.errors, attention],
    [HELD_UP.title, heldUp],
    [ATTENTION.messages, letters],
    [TEXT.agents, agents],
    [OVERVIEW.waiting, waiting],
    [OVERVIEW.reports, reports],
    [TEXT.supervision, supervisor],
    [OVERVIEW.overdue, overview],
    [ALL_CLEAR.pauses, session],
    [BULK.runs, runs],
  ];
  const isOld = (query: UseQueryResult<unknown>) =>
    query.error !== null || (query.data !== undefined && !isCurrent(query));
  const holdingUp = new Set((heldUp.data?.groups ?? []).map(({ wait }) => wait.agent));
  const troubles: Trouble[] = [
    ...(attention.data?.groups ?? []).map(({ id, firstSeen, count, example }) => ({
      since: firstSeen,
      words: OVERVIEW.inError(count, example, attention.data?.isAll),
      href: `/?group=${id}`,
    })),
    ...(heldUp.data?.groups ?? []).map(({ id, wait, count }) => ({
      since: wait.since,
      words: OVERVIEW.heldUp(count, HELD_UP.name(wait), heldUp.data?.isAll),
      href: `/?held=${id}`,
    })),
    // Of those that were read there is none, and not all were read.
    ...(heldUp.data && !heldUp.data.isAll && heldUp.data.groups.length === 0
      ? [{ since: null, words: HELD_UP.more, href: "/" }]
      : []),
    ...(attention.data && !attention.data.isAll && attention.data.groups.length === 0
      ? [{ since: null, words: ATTENTION.moreThan(0), href: "/search?state=Error" }]
      : []),
    ...(letters.data?.queues ?? []).flatMap((queue) => {
      const href = `/dead-letters/${queue.queue}`;
      if ("error" in queue) return [{ since: null, words: `${ATTENTION.queue(queue.queue)}: ${queue.error}`, href }];
      if (queue.count === 0) return [];
      return [
        {
          since: queue.oldestAt,
          words: OVERVIEW.letters(queue.count, ATTENTION.queue(queue.queue), queue.isAll),
          href,
        },
      ];
    }),
    // Whom it holds up is named above, with the words of the endpoint.
    ...(agents.data ? shownAgentTroubles(agents.data, (agent) => holdingUp.has(agent)) : []),
    ...(waiting.data ? messageTroubles(waiting.data) : []),
    ...(reports.data ? reportTroubles(reports.data) : []),
    ...(session.data?.pauses ?? []).map(({ at, kind, name, by }) => ({
      since: at,
      words: OVERVIEW.pause(kind, name, by),
      href: "/agents",
    })),
    ...(supervisor.data ? supervisorTroubles(supervisor.data) : []),
    ...(runs.data ? runTroubles(runs.data, now) : []),
    ...(overview.data && overview.data.overdue > 0
      ? [{ since: null, words: OVERVIEW.overdueJobs(overview.data.overdue), href: "/supervision" }]
      : []),
  ];
  troubles.sort((one, other) => (one.since ?? "9").localeCompare(other.since ?? "9"));
  return {
    troubles,
    unknown: [
      ...(changes.error !== null || (changes.data !== undefined && !isAnswering(changes)) ? [ALL_CLEAR.app] : []),
      ...parts.flatMap(([name, query]) => (isOld(query) ? [name] : [])),
      ...(session.data?.pauses === null && !isOld(session) ? [ALL_CLEAR.pauses] : []),
    ],
    isLoading: [[ALL_CLEAR.app, changes] as const, ...parts].some(
      ([, { data, error }]) => data === undefined && !error,
    ),
  };
}

export function Verdict({ troubles, unknown, isLoading }: Troubles) {
  const since = troubles[0]?.since;
  if (troubles.length === 0 && unknown.length === 0) {
    return isLoading ? <Loading /> : <Notice title={OVERVIEW.well} kind="good" />;
  }
  if (troubles.length === 0) {
    return (
      <Notice title={OVERVIEW.notKnown} kind="bad">
        <p>{ALL_CLEAR.unknownAbout(unknown.join(", "))}</p>
      </Notice>
    );
  }
  return (
    <section className="notice notice-bad" aria-labelledby="verdict">
      <h2 id="verdict">
        {OVERVIEW.notWell}
        {since && (
          <>
            {" "}
            {OVERVIEW.since} <Instant at={since} />{" "}
            <span className="quiet">
              (<Age at={since} />)
            </span>
          </>
        )}
      </h2>
      <ul className="troubles">
        {troubles.map(({ since: from, words, href }) => (
          <li key={href + words}>
            <span className="quiet">{from ? <Instant at={from} /> : OVERVIEW.nowOnly}</span>
            <Link href={href} className="message">
              <Said text={words} />
            </Link>
          </li>
        ))}
      </ul>
      {unknown.length > 0 && <p className="fault">{ALL_CLEAR.unknownAbout(unknown.join(", "))}</p>}
    </section>
  );
}
