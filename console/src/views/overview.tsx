// How many orders stand where, and which queues hold messages that could not be processed.
import { Link } from "wouter";
import type { Overview } from "../api/contract.ts";
import { useDeadLetterCounts, useOverview } from "../api/queries.ts";
import { Loaded } from "../parts/notices.tsx";
import { ATTENTION } from "../words/attention.ts";
import { DEAD_LETTERS } from "../words/dead-letters.ts";
import { TEXT } from "../words/frame.ts";
import { KINDS, STATES } from "../words/order.ts";
import { OVERVIEW } from "../words/overview.ts";

export function OverviewView() {
  const overview = useOverview();
  const queues = useDeadLetterCounts();
  return (
    <>
      <h1>{TEXT.overview}</h1>
      <h2>{OVERVIEW.states}</h2>
      <Loaded query={overview}>{(data) => <States overview={data} />}</Loaded>
      <h2>{OVERVIEW.queues}</h2>
      <Loaded query={queues}>
        {({ queues: counts }) => (
          <ul className="tiles">
            {counts.map((queue) => (
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
