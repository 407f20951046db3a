// The latest actions on many jobs, of all operators: which are under way, have ended, or have stopped by themselves.

import { Link } from "wouter";
import type { BulkRun } from "../api/contract.ts";
import { useBulkRuns } from "../api/queries.ts";
import { BulkStateText } from "../parts/bulk-buttons.tsx";
import { Button } from "../parts/fluent.ts";
import { Loaded, Notice } from "../parts/notices.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Instant, Said } from "../parts/zone.tsx";
import { BULK } from "../words/bulk.ts";
import { TEXT } from "../words/frame.ts";
import { ACTIONS } from "../words/job.ts";

const COLUMNS: readonly Column<BulkRun>[] = [
  {
    name: BULK.what,
    cell: ({ bulkId, action, total, cause }) => (
      <>
        <Link href={`/bulk/${bulkId}`}>{BULK.summary(ACTIONS[action].name, total)}</Link>
        {cause && (
          <p className="message">
            <Said text={cause} />
          </p>
        )}
      </>
    ),
  },
  {
    name: BULK.state,
    cell: (run) => (
      <>
        <BulkStateText run={run} />
        {run.state !== "previewed" && <p className="quiet">{BULK.ended(endedOf(run), run.total)}</p>}
      </>
    ),
  },
  { name: BULK.startedBy, cell: ({ by }) => by },
  { name: BULK.at, cell: ({ at }) => <Instant at={at} /> },
  { name: TEXT.reason, cell: ({ reason }) => reason && <span className="message">{reason}</span> },
];

const endedOf = ({ counts: { well, same, other, skipped } }: BulkRun): number => well + same + other + skipped;

export function BulkRunsView() {
  const runs = useBulkRuns();
  return (
    <>
      <h1>{BULK.runs}</h1>
      <Loaded query={runs}>
        {({ pages }) => {
          const all = pages.flatMap((page) => page.runs);
          if (all.length === 0) return <Notice title={BULK.noRuns} />;
          return <Table caption={BULK.runsAbout} columns={COLUMNS} rows={all} keyOf={({ bulkId }) => bulkId} />;
        }}
      </Loaded>
      {runs.hasNextPage && (
        <Button disabled={runs.isFetchingNextPage} onClick={() => void runs.fetchNextPage()}>
          {TEXT.more}
        </Button>
      )}
    </>
  );
}
