// What supervisors decided about a job and operators did, from the audit log: asked for when somebody wants to see it.

import { useState } from "react";
import type { AuditEntry, LateReply } from "../api/contract.ts";
import { useJobAudit } from "../api/queries.ts";
import { Button } from "../parts/fluent.ts";
import { Loaded } from "../parts/notices.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Instant, Said } from "../parts/zone.tsx";
import { TEXT } from "../words/frame.ts";
import { ACTIONS, AUDIT } from "../words/job.ts";
import { SUPERVISION } from "../words/supervision.ts";

export function Audit({ jobId }: { readonly jobId: string }) {
  const [isWanted, want] = useState(false);
  return isWanted ? <Entries jobId={jobId} /> : <Button onClick={() => want(true)}>{AUDIT.show}</Button>;
}

function Entries({ jobId }: { readonly jobId: string }) {
  const audit = useJobAudit(jobId);
  return (
    <Loaded query={audit}>
      {({ pages }) => {
        const entries = pages.flatMap((page) => page.entries);
        const lateReplies = pages.flatMap((page) => page.lateReplies);
        return (
          <>
            {entries.length === 0 ? (
              <p>{AUDIT.nothing}</p>
            ) : (
              <Table
                caption={audit.hasNextPage ? AUDIT.latest(entries.length) : AUDIT.all}
                columns={COLUMNS}
                rows={entries}
                keyOf={({ id }) => id}
              />
            )}
            {audit.hasNextPage && (
              <Button disabled={audit.isFetchingNextPage} onClick={() => void audit.fetchNextPage()}>
                {TEXT.more}
              </Button>
            )}
            {lateReplies.length > 0 && (
              <Table caption={AUDIT.lateReplies} columns={LATE_COLUMNS} rows={lateReplies} keyOf={({ id }) => id} />
            )}
          </>
        );
      }}
    </Loaded>
  );
}

const NAMES: { readonly [action: string]: { readonly name: string } } = ACTIONS;

const COLUMNS: readonly Column<AuditEntry>[] = [
  { name: SUPERVISION.at, cell: ({ at }) => <Instant at={at} /> },
  { name: AUDIT.by, cell: (entry) => (entry.kind === "operatorAction" ? entry.operator : AUDIT.supervisor) },
  { name: SUPERVISION.what, cell: whatOf },
  { name: SUPERVISION.why, cell: (entry) => <Said text={whyOf(entry)} /> },
  { name: AUDIT.outcome, cell: (entry) => <Said text={entry.outcome} /> },
];

const LATE_COLUMNS: readonly Column<LateReply>[] = [
  { name: SUPERVISION.at, cell: ({ at }) => <Instant at={at} /> },
  { name: SUPERVISION.what, cell: () => SUPERVISION.lateReply },
  {
    name: SUPERVISION.why,
    cell: ({ step, attempt, reason }) => <Said text={SUPERVISION.late(step, attempt, reason)} />,
  },
];

function whatOf(entry: AuditEntry): string {
  if (entry.kind === "operatorAction") return NAMES[entry.action]?.name ?? entry.action;
  return SUPERVISION.verdict(entry.verdict);
}

function whyOf(entry: AuditEntry): string {
  if (entry.kind === "operatorAction") return entry.reason ?? "";
  return entry.rule;
}
