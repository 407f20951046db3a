// The attempts of a job side by side: what was different this time.

import { type AttemptShown, attemptsOf, roundedDuration } from "@scheduler-agent-supervisor/operator/domain";
import type { JobRecord } from "../api/contract.ts";
import { type Column, Table } from "../parts/table.tsx";
import { Instant, Said } from "../parts/zone.tsx";
import { JOB } from "../words/job.ts";

/** Older ones are in the history. */
const MOST = 20;

const COLUMNS: readonly Column<AttemptShown>[] = [
  { name: JOB.labels.attempt, cell: ({ attempt }) => attempt },
  { name: JOB.attempts.from, cell: ({ from }) => <Instant at={from} /> },
  { name: JOB.attempts.took, cell: (attempt) => <span className="whole">{tookWords(attempt)}</span> },
  {
    name: JOB.labels.direction,
    cell: ({ direction }) => (
      <span className="whole">{JOB.directions[direction === "compensate" ? "compensate" : "forward"]}</span>
    ),
  },
  { name: JOB.attempts.began, cell: ({ began }) => began && <Said text={began} /> },
  {
    name: JOB.attempts.steps,
    cell: ({ steps }) =>
      steps.length > 0 && (
        <ul>
          {steps.map((step) => (
            <li key={step} className="message">
              <Said text={step} />
            </li>
          ))}
        </ul>
      ),
  },
  {
    name: JOB.attempts.ended,
    cell: ({ ended, hasFailed, to }) =>
      to === null ? (
        JOB.attempts.underWay
      ) : (
        <span className={hasFailed ? "fault message" : "message"}>{ended && <Said text={ended} />}</span>
      ),
  },
];

function tookWords({ from, to }: AttemptShown): string {
  return to === null ? "" : roundedDuration(Date.parse(to) - Date.parse(from));
}

export function Attempts({ record }: { readonly record: JobRecord }) {
  const attempts = attemptsOf(record).slice(-MOST).reverse();
  if (attempts.length < 2) return null;
  return (
    <section className="section">
      <h2>{JOB.attempts.title}</h2>
      <Table
        caption={JOB.attempts.about(attempts.length)}
        columns={COLUMNS}
        rows={attempts}
        keyOf={({ attempt, from }) => `${attempt} ${from}`}
      />
    </section>
  );
}
