// Which supervisor leads, and what a day's sweeps found and decided about each job.

import { roundedDuration } from "@scheduler-agent-supervisor/operator/internal/domain/duration-words";
import { gaugesTroubles } from "@scheduler-agent-supervisor/operator/internal/domain/gauges-standing";
import { Link, useSearchParams } from "wouter";
import { appNow } from "../api/clock.ts";
import type { Snapshot, SupervisionEntry, Supervisor } from "../api/contract.ts";
import { useAuditLog, useSupervisor } from "../api/queries.ts";
import { Button } from "../parts/fluent.ts";
import { Loaded, Notice } from "../parts/notices.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Instant, Said } from "../parts/zone.tsx";
import { TEXT } from "../words/frame.ts";
import { STATES } from "../words/job.ts";
import { OVERVIEW } from "../words/overview.ts";
import { SUPERVISION } from "../words/supervision.ts";

const DAY_MS = 86_400_000;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, "2026-01-31".length);

export function SupervisionView() {
  const supervisor = useSupervisor();
  const [parameters] = useSearchParams();
  const today = dayOf(appNow());
  const asked = Date.parse(parameters.get("day") ?? today);
  const day = Number.isNaN(asked) ? today : dayOf(asked);
  return (
    <>
      <h1>{TEXT.supervision}</h1>
      <Loaded query={supervisor} hidesAge>
        {({ leader, gauges }) => (
          <>
            <Leader leader={leader} />
            {gaugesTroubles(gauges).map(({ since, words }) => (
              <Notice key={words} title={words} kind="bad">
                {since && (
                  <p>
                    {OVERVIEW.begun} <Instant at={since} />
                  </p>
                )}
              </Notice>
            ))}
          </>
        )}
      </Loaded>
      <AuditLog key={day} day={day} isToday={day === today} />
    </>
  );
}

function Leader({ leader }: Pick<Supervisor, "leader">) {
  if (!leader) return <Notice title={SUPERVISION.nobody} kind="bad" />;
  const { name, epoch, since, leads, blocked, failing } = leader;
  const isWell = leads && !failing;
  return (
    <Notice title={`${leads ? SUPERVISION.leader : SUPERVISION.lastLeader}: ${name}`} kind={isWell ? "good" : "bad"}>
      <p>
        {SUPERVISION.epoch(epoch)}
        {since && (
          <>
            , {SUPERVISION.since} <Instant at={since} />
          </>
        )}
      </p>
      {!leads && <p>{blocked ? OVERVIEW.noSupervisor(blocked) : SUPERVISION.free}</p>}
      {leads && failing && (
        <p>
          <Said text={OVERVIEW.sweepsFail(failing.fault)} />, {SUPERVISION.since} <Instant at={failing.since} />
        </p>
      )}
    </Notice>
  );
}

function AuditLog({ day, isToday }: { readonly day: string; readonly isToday: boolean }) {
  const auditLog = useAuditLog(day, isToday);
  const at = Date.parse(day);
  return (
    <section>
      <p className="quiet">{SUPERVISION.about}</p>
      <p className="days">
        <Link href={`/supervision?day=${dayOf(at - DAY_MS)}`}>{SUPERVISION.dayBefore}</Link>
        {!isToday && <Link href={`/supervision?day=${dayOf(at + DAY_MS)}`}>{SUPERVISION.dayAfter}</Link>}
      </p>
      <Loaded query={auditLog}>
        {({ pages }) => {
          const entries = pages.flatMap((page) => page.entries);
          if (entries.length === 0) return <Notice title={SUPERVISION.nothing} />;
          return <Table caption={SUPERVISION.entries(day)} columns={COLUMNS} rows={entries} keyOf={({ id }) => id} />;
        }}
      </Loaded>
      {auditLog.hasNextPage && (
        <Button disabled={auditLog.isFetchingNextPage} onClick={() => void auditLog.fetchNextPage()}>
          {TEXT.more}
        </Button>
      )}
    </section>
  );
}

const COLUMNS: readonly Column<SupervisionEntry>[] = [
  { name: SUPERVISION.at, cell: ({ at }) => <Instant at={at} /> },
  { name: SUPERVISION.what, cell: (entry) => <What entry={entry} /> },
  {
    get name() {
      return SUPERVISION.job;
    },
    cell: (entry) => (entry.kind === "sweep" ? null : <Link href={`/jobs/${entry.jobId}`}>{entry.jobId}</Link>),
  },
  { name: SUPERVISION.why, cell: (entry) => <Why entry={entry} /> },
];

function What({ entry }: { readonly entry: SupervisionEntry }) {
  if (entry.kind === "sweep") return <strong>{SUPERVISION.sweep}</strong>;
  if (entry.kind === "lateReply") return SUPERVISION.lateReply;
  const { verdict, outcome } = entry;
  return (
    <>
      {SUPERVISION.verdict(verdict)}
      {outcome !== "applied" && <p className="fault">{SUPERVISION[outcome]}</p>}
    </>
  );
}

function Why({ entry }: { readonly entry: SupervisionEntry }) {
  if (entry.kind === "lateReply") return <Said text={SUPERVISION.late(entry.step, entry.attempt, entry.reason)} />;
  if (entry.kind === "decision") {
    return (
      <details className="line">
        <summary>
          {entry.fault && <span className="fault">{entry.fault} </span>}
          <Said text={entry.rule} />
        </summary>
        {entry.stop && <p className="quiet">{SUPERVISION.agentTimeout(entry.stop)}</p>}
        <p className="quiet">
          {SUPERVISION.before}: {snapshotWords(entry.before)}
        </p>
        {entry.after && (
          <p className="quiet">
            {SUPERVISION.after}: {snapshotWords(entry.after)}
          </p>
        )}
      </details>
    );
  }
  const { report, at, endedAt, leader, epoch } = entry;
  const took = roundedDuration(Date.parse(endedAt) - Date.parse(at));
  return (
    <>
      {SUPERVISION.report(report)}
      <p className="quiet">{SUPERVISION.took(took, leader, epoch)}</p>
    </>
  );
}

function snapshotWords({ processState, attempt, failureCount, step }: Snapshot): string {
  return SUPERVISION.snapshot(STATES[processState], attempt, failureCount, step);
}
