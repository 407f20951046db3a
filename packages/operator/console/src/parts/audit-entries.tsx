// Entries of the audit log, of one job or of all: what supervisors decided, what operators did, and replies that came too late.

import { roundedDuration } from "@scheduler-agent-supervisor/operator/domain";
import { Link } from "wouter";
import type { AuditEntry, Snapshot } from "../api/contract.ts";
import { STATES } from "../words/job.ts";
import { SUPERVISION } from "../words/supervision.ts";
import { type Column, Table } from "./table.tsx";
import { Instant, Said } from "./zone.tsx";

interface AuditEntriesProps {
  readonly caption: string;
  readonly entries: readonly AuditEntry[];
  /** Whether they are about the job that is shown. */
  readonly isOfOneJob?: boolean;
}

export function AuditEntries({ caption, entries, isOfOneJob = false }: AuditEntriesProps) {
  return <Table caption={caption} columns={isOfOneJob ? OF_ONE_JOB : COLUMNS} rows={entries} keyOf={({ id }) => id} />;
}

const ABOUT: Column<AuditEntry> = { name: SUPERVISION.about, cell: (entry) => <About entry={entry} /> };

const COLUMNS: readonly Column<AuditEntry>[] = [
  { name: SUPERVISION.at, cell: ({ at }) => <Instant at={at} /> },
  { name: SUPERVISION.by, cell: (entry) => <span className="who-did">{byOf(entry)}</span> },
  { name: SUPERVISION.what, cell: (entry) => <What entry={entry} /> },
  ABOUT,
  { name: SUPERVISION.why, cell: (entry) => <Why entry={entry} /> },
];

const OF_ONE_JOB = COLUMNS.filter((column) => column !== ABOUT);

interface EntryProps {
  readonly entry: AuditEntry;
}

function byOf(entry: AuditEntry): string {
  if (entry.kind === "operatorAction") return entry.operator;
  return entry.kind === "lateReply" ? "" : SUPERVISION.supervisor;
}

function What({ entry }: EntryProps) {
  switch (entry.kind) {
    case "sweep":
      return <strong>{SUPERVISION.sweep}</strong>;
    case "lateReply":
      return SUPERVISION.lateReply;
    case "operatorAction":
      return (
        <>
          {SUPERVISION.action(entry.action)}
          {entry.outcome !== "done" && (
            <p className={entry.outcome.startsWith("done: ") ? "quiet" : "fault"}>
              <Said text={entry.outcome} />
            </p>
          )}
        </>
      );
    case "decision":
      return (
        <>
          {SUPERVISION.verdict(entry.verdict)}
          {entry.outcome !== "applied" && <p className="fault">{SUPERVISION[entry.outcome]}</p>}
        </>
      );
    default:
      return entry satisfies never;
  }
}

function About({ entry }: EntryProps) {
  if (entry.kind === "sweep") return null;
  if (entry.kind === "operatorAction" && entry.message !== null)
    return <Link href={`/dead-letters/${entry.message}`}>{SUPERVISION.message(entry.message)}</Link>;
  return entry.jobId !== null && <Link href={`/jobs/${entry.jobId}`}>{entry.jobId}</Link>;
}

function Why({ entry }: EntryProps) {
  switch (entry.kind) {
    case "operatorAction":
      return entry.reason;
    case "lateReply":
      return <Said text={SUPERVISION.late(entry.step, entry.attempt, entry.reason)} />;
    case "decision":
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
    case "sweep": {
      const { report, at, endedAt, leader, epoch } = entry;
      const took = roundedDuration(Date.parse(endedAt) - Date.parse(at));
      return (
        <>
          {SUPERVISION.report(report)}
          <p className="quiet">{SUPERVISION.took(took, leader, epoch)}</p>
        </>
      );
    }
    default:
      return entry satisfies never;
  }
}

function snapshotWords({ processState, attempt, failureCount, step }: Snapshot): string {
  return SUPERVISION.snapshot(STATES[processState], attempt, failureCount, step);
}
