// The steps that are done later: who was asked, since when, until when, and what they have said.
import { Link, useSearch } from "wouter";
import type { AwaitingStep } from "../api/contract.ts";
import { useAwaitingPages } from "../api/queries.ts";
import { Button } from "../parts/fluent.ts";
import { Loaded, Notice } from "../parts/notices.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { TakenBy, TakenUnknown } from "../parts/taken-by.tsx";
import { Age, Instant, Said } from "../parts/zone.tsx";
import { ATTENTION } from "../words/attention.ts";
import { AWAITING } from "../words/awaiting.ts";
import { TEXT } from "../words/frame.ts";
import { JOB } from "../words/job.ts";

const COLUMNS: readonly Column<AwaitingStep>[] = [
  {
    get name() {
      return ATTENTION.job;
    },
    cell: ({ jobId }) => (
      <>
        <Link href={`/jobs/${jobId}`}>{jobId}</Link>
        <TakenBy jobId={jobId} />
      </>
    ),
  },
  {
    name: AWAITING.step,
    cell: ({ step, direction, workflow }) =>
      `${direction === "compensate" ? JOB.compensation(step) : step} · ${workflow.name}`,
  },
  {
    name: AWAITING.assignee,
    has: ({ assignee }) => assignee !== undefined,
    cell: ({ assignee }) => assignee && <Link href={`/awaiting?${new URLSearchParams({ assignee })}`}>{assignee}</Link>,
  },
  { name: AWAITING.since, cell: ({ since }) => <Age at={since} /> },
  { name: AWAITING.until, cell: ({ until }) => until && <Instant at={until} /> },
  { name: AWAITING.reference, has: ({ reference }) => Boolean(reference), cell: ({ reference }) => reference },
  {
    name: AWAITING.received,
    has: ({ lastReportAt }) => Boolean(lastReportAt),
    cell: ({ lastReportAt, progress }) =>
      lastReportAt && (
        <>
          <Age at={lastReportAt} />
          {progress && (
            <p className="message">
              <Said text={progress} />
            </p>
          )}
        </>
      ),
  },
];

const keyOf = ({ jobId, step, direction }: AwaitingStep): string => `${jobId} ${step} ${direction}`;

export function AwaitingView() {
  const assignee = new URLSearchParams(useSearch()).get("assignee") ?? "";
  const awaiting = useAwaitingPages(assignee);
  return (
    <>
      <h1>{AWAITING.title}</h1>
      <p>{AWAITING.about}</p>
      {assignee && (
        <p>
          {AWAITING.only(assignee)} <Link href="/awaiting">{AWAITING.everybody}</Link>
        </p>
      )}
      <TakenUnknown />
      <Loaded query={awaiting}>
        {({ pages }) => {
          // One whose time was moved between two requests is on both pages.
          const byKey = pages.flatMap((page) => page.steps).map((step) => [keyOf(step), step] as const);
          const steps = [...new Map(byKey).values()];
          if (steps.length === 0) return <Notice title={AWAITING.nothing} kind="good" />;
          return (
            <>
              <Table
                caption={`${AWAITING.all} (${TEXT.capped(steps.length, !awaiting.hasNextPage)})`}
                columns={COLUMNS}
                rows={steps}
                keyOf={keyOf}
              />
              {awaiting.hasNextPage && (
                <Button disabled={awaiting.isFetchingNextPage} onClick={() => void awaiting.fetchNextPage()}>
                  {TEXT.more}
                </Button>
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}
