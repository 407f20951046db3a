// How many jobs stand where, how they flow, and which queues hold messages that could not be processed.

import { roundedDuration } from "@scheduler-agent-supervisor/operator/domain";
import { Link } from "wouter";
import type { DeadLetterCounts, Overview, Traffic } from "../api/contract.ts";
import { useDeadLetterCounts, useLastHour, useOverview, useTraffic } from "../api/queries.ts";
import { Hour } from "../parts/last-hour.tsx";
import { Loaded } from "../parts/notices.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { useTroubles, Verdict } from "../parts/verdict.tsx";
import { ATTENTION } from "../words/attention.ts";
import { DEAD_LETTERS } from "../words/dead-letters.ts";
import { TEXT } from "../words/frame.ts";
import { KINDS, STATES } from "../words/job.ts";
import { OVERVIEW } from "../words/overview.ts";

export function OverviewView() {
  const overview = useOverview();
  const traffic = useTraffic();
  const queues = useDeadLetterCounts();
  const hour = useLastHour();
  const wrong = useTroubles();
  return (
    <>
      <h1>{TEXT.overview}</h1>
      <Verdict {...wrong} />
      <h2>{OVERVIEW.hour}</h2>
      <Loaded query={hour} hidesAge>
        {(data) => (
          <>
            <Hour
              hour={data}
              marks={wrong.troubles.flatMap(({ since, words }) => (since ? [{ at: since, words }] : []))}
            />
            {wrong.troubles.length > 0 && <p className="quiet">{OVERVIEW.mark}</p>}
          </>
        )}
      </Loaded>
      <h2>{OVERVIEW.states}</h2>
      <Loaded query={overview}>{(data) => <States overview={data} />}</Loaded>
      <h2>{OVERVIEW.traffic}</h2>
      <Loaded query={traffic}>{(data) => <Flow traffic={data} />}</Loaded>
      <h2>{OVERVIEW.queues}</h2>
      <Loaded query={queues}>
        {({ queues: counts }) => (
          <ul className="tiles">
            {counts.every(isEmpty) && <Tile figure="0" name={OVERVIEW.noMessages(counts.length)} />}
            {counts
              .filter((queue) => !isEmpty(queue))
              .map((queue) => (
                <li key={queue.queue}>
                  <Link href={`/dead-letters/${queue.queue}`}>
                    <span className="figure">{"error" in queue ? "?" : TEXT.capped(queue.count, queue.isAll)}</span>
                    <span>{ATTENTION.queue(queue.queue)}</span>
                    {"error" in queue && <span className="quiet">{DEAD_LETTERS.uncounted}</span>}
                  </Link>
                </li>
              ))}
          </ul>
        )}
      </Loaded>
    </>
  );
}

const isEmpty = (queue: DeadLetterCounts["queues"][number]): boolean => !("error" in queue) && queue.count === 0;

function States({ overview: { counts, overdue } }: { readonly overview: Overview }) {
  const inError = counts.filter(({ state }) => state === "Error");
  return (
    <ul className="tiles">
      {counts
        .filter(({ state }) => state !== "Error")
        .map(({ state, count }) => (
          <li key={state}>
            <Link href={`/search?state=${state}`}>
              <span className="figure">{count.toLocaleString("en")}</span>
              <span>{STATES[state]}</span>
            </Link>
          </li>
        ))}
      <li>
        <Link href="/">
          <span className="figure">{inError.reduce((sum, { count }) => sum + count, 0).toLocaleString("en")}</span>
          <span>{OVERVIEW.needs}</span>
          {inError.map(({ kind, count }) =>
            kind && count > 0 ? (
              <span key={kind} className="quiet">
                {count.toLocaleString("en")} {KINDS[kind].toLowerCase()}
              </span>
            ) : null,
          )}
        </Link>
      </li>
      <li className={overdue > 0 ? "warns" : undefined}>
        <span className="figure">{overdue.toLocaleString("en")}</span>
        <span>{OVERVIEW.overdue}</span>
        <span className="quiet">{OVERVIEW.overdueAbout}</span>
      </li>
    </ul>
  );
}

const QUEUE_COLUMNS: readonly Column<Traffic["queues"][number]>[] = [
  { name: OVERVIEW.queue, cell: ({ queue }) => queue },
  {
    name: OVERVIEW.oldest,
    cell: ({ oldestMs }) =>
      oldestMs === null ? OVERVIEW.unread : oldestMs === 0 ? OVERVIEW.none : roundedDuration(oldestMs),
  },
];

const VERSION_COLUMNS: readonly Column<Traffic["inFlight"]["versions"][number]>[] = [
  { name: OVERVIEW.version, cell: ({ name, version }) => `${name} v${version}` },
  {
    get name() {
      return OVERVIEW.jobs;
    },
    isNumber: true,
    cell: ({ count }) => count.toLocaleString("en"),
  },
];

function Flow({ traffic: { received, processed, times, inFlight, queues } }: { readonly traffic: Traffic }) {
  return (
    <>
      <ul className="tiles">
        <Tile figure={OVERVIEW.perMinute(received)} name={OVERVIEW.received} about={OVERVIEW.counted(received)} />
        <Tile figure={OVERVIEW.perMinute(processed)} name={OVERVIEW.processed} about={OVERVIEW.counted(processed)} />
      </ul>
      <h3 className="as-caption">{OVERVIEW.times}</h3>
      {times ? (
        <>
          <ul className="tiles">
            <Tile figure={roundedDuration(times.p50Ms)} name={OVERVIEW.p50} />
            <Tile figure={roundedDuration(times.p95Ms)} name={OVERVIEW.p95} />
            <Tile figure={roundedDuration(times.p99Ms)} name={OVERVIEW.p99} />
          </ul>
          <p className="quiet">{OVERVIEW.timesOf}</p>
        </>
      ) : (
        <p className="quiet">{OVERVIEW.noTimes}</p>
      )}
      <div className="halves">
        <Table caption={OVERVIEW.waiting} columns={QUEUE_COLUMNS} rows={queues} keyOf={({ queue }) => queue} />
        {inFlight.versions.length > 0 ? (
          <div>
            <Table
              caption={OVERVIEW.versions}
              columns={VERSION_COLUMNS}
              rows={inFlight.versions}
              keyOf={({ name, version }) => `${name} ${version}`}
            />
            <p className="quiet">{OVERVIEW.versionsOf(inFlight.count, inFlight.isAll)}</p>
          </div>
        ) : (
          <div>
            <h3 className="as-caption">{OVERVIEW.versions}</h3>
            <p className="quiet">{OVERVIEW.noVersions}</p>
          </div>
        )}
      </div>
    </>
  );
}

/** Such as `1 min 12 s`: smaller, and not cut off. */
const LONG_FIGURE = 6;

interface TileProps {
  readonly figure: string;
  readonly name: string;
  readonly about?: string;
}

function Tile({ figure, name, about }: TileProps) {
  return (
    <li>
      <span className={figure.length > LONG_FIGURE ? "figure long" : "figure"}>{figure}</span>
      <span>{name}</span>
      {about && <span className="quiet">{about}</span>}
    </li>
  );
}
