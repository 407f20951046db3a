// What needs a person: jobs in groups by their cause, and messages that could not be processed.

import { Link, useSearchParams } from "wouter";
import type { Attention, AttentionJob, CauseGroup } from "../api/contract.ts";
import { HOME_MS } from "../api/intervals.ts";
import { useAttention, useAttentionPage, useNews } from "../api/queries.ts";
import { AllClear } from "../parts/all-clear.tsx";
import { JobBadge } from "../parts/badges.tsx";
import { BulkButtons, BulkUnderWay } from "../parts/bulk-buttons.tsx";
import { Button } from "../parts/fluent.ts";
import { HeldUpJobs, HeldUpSection } from "../parts/held-up.tsx";
import { HourChart } from "../parts/hour-chart.tsx";
import { Loaded, Loading, Notice } from "../parts/notices.tsx";
import { SystemTroubles } from "../parts/system-troubles.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { TakenBy, TakenUnknown } from "../parts/taken-by.tsx";
import { AwaitedReports, DeadLetterSection } from "../parts/waiting.tsx";
import { Age, Said } from "../parts/zone.tsx";
import { ATTENTION } from "../words/attention.ts";
import { BULK } from "../words/bulk.ts";
import { TEXT } from "../words/frame.ts";
import { ALL_CLEAR, HELD_UP } from "../words/held-up.ts";
import { KINDS } from "../words/job.ts";

export function AttentionView() {
  const [parameters] = useSearchParams();
  const chosen = parameters.get("group") ?? undefined;
  const held = parameters.get("held");
  useNews();
  return (
    <>
      <h1>{held === null ? TEXT.attention : HELD_UP.title}</h1>
      {held !== null ? (
        <HeldUpJobs id={held} />
      ) : (
        <>
          {chosen === undefined && (
            <>
              <AllClear />
              <HeldUpSection />
              <DeadLetterSection />
              <AwaitedReports />
              <SystemTroubles />
            </>
          )}
          <BulkUnderWay />
          <Causes chosen={chosen} />
        </>
      )}
    </>
  );
}

function Causes({ chosen }: { readonly chosen: string | undefined }) {
  const attention = useAttention();
  const isGone = ({ groups }: Attention) => chosen !== undefined && groups.every(({ id }) => id !== chosen);
  return (
    <Loaded query={attention} everyMs={HOME_MS}>
      {(data) => (
        <>
          {chosen !== undefined && (
            <p className="back">
              <Link href="/">{ATTENTION.showAll}</Link>
            </p>
          )}
          {isGone(data) && <Notice title={ALL_CLEAR.causeGone} />}
          {data.count > 0 && !isGone(data) && (
            <>
              <TakenUnknown />
              <Groups attention={data} chosen={chosen} />
              <Jobs group={chosen} />
            </>
          )}
        </>
      )}
    </Loaded>
  );
}

const sumOf = (groups: readonly CauseGroup[]) => groups.reduce((sum, { count }) => sum + count, 0);

function Groups({ attention, chosen }: { readonly attention: Attention; readonly chosen: string | undefined }) {
  const { groups, count, isAll } = attention;
  const shown = chosen === undefined ? groups : groups.filter(({ id }) => id === chosen);
  return (
    <section aria-labelledby="causes">
      <h2 id="causes">
        {ATTENTION.byCause}{" "}
        <span className="quiet">{ATTENTION.jobs(chosen === undefined ? count : sumOf(shown), isAll)}</span>
      </h2>
      {!isAll && (
        <p>
          {ATTENTION.moreThan(count)} <Link href="/search?state=Error">{ATTENTION.seeAll}</Link>
        </p>
      )}
      <ul className="groups">
        {shown.map((group) => (
          <li key={group.id}>
            <Group group={group} isAll={isAll} />
            {chosen !== undefined && group.kind !== null && (
              <BulkButtons
                target={{ group: group.id }}
                actions={["resubmit", "compensate", "markResolved"]}
                words={(action) => BULK.preview(action, group.count, isAll)}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface GroupProps {
  readonly group: CauseGroup;
  /** False where more jobs need a person than were counted: then each cause may have more. */
  readonly isAll: boolean;
}

function Group({ group, isAll }: GroupProps) {
  const { id, workflow, step, kind, example, count, firstSeen, lastSeen, hours } = group;
  return (
    <article className="group">
      <span className="count">{TEXT.capped(count, isAll)}</span>
      <div className="cause">
        <h3>
          <Link href={`/?group=${id}`}>{kind === null ? ATTENTION.other : <Said text={example} />}</Link>
        </h3>
        <p className="quiet">
          {kind === null ? ATTENTION.otherAbout : [KINDS[kind], step, workflow].filter(Boolean).join(" · ")}
        </p>
        <p className="quiet">
          {count > 1 ? ATTENTION.lastSeen : ATTENTION.age} <Age at={lastSeen} />
          {count > 1 && (
            <>
              , {ATTENTION.firstSeen} <Age at={firstSeen} />
            </>
          )}
        </p>
      </div>
      <HourChart hours={hours} />
    </article>
  );
}

const COLUMNS: readonly Column<AttentionJob>[] = [
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
    name: ATTENTION.cause,
    cell: ({ error }) => (
      <>
        <JobBadge state="Error" kind={error.kind} />{" "}
        <span className="message">
          <Said text={error.message} />
        </span>
      </>
    ),
  },
  { name: ATTENTION.where, cell: ({ workflow, error }) => [error.step, workflow.name].filter(Boolean).join(" · ") },
  { name: ATTENTION.attempt, isNumber: true, cell: ({ attempt }) => attempt },
  { name: ATTENTION.age, cell: ({ error }) => <Age at={error.at} /> },
];

function Jobs({ group }: { readonly group: string | undefined }) {
  const jobs = useAttentionPage(group);
  if (jobs.data === undefined && !jobs.error) return <Loading />;
  return (
    <Loaded query={jobs} hidesAge>
      {({ pages }) => (
        <section>
          <Table
            caption={group === undefined ? ATTENTION.all : ATTENTION.inGroup}
            columns={COLUMNS}
            rows={pages.flatMap((page) => page.jobs)}
            keyOf={({ jobId }) => jobId}
          />
          {jobs.hasNextPage && (
            <Button disabled={jobs.isFetchingNextPage} onClick={() => void jobs.fetchNextPage()}>
              {TEXT.more}
            </Button>
          )}
        </section>
      )}
    </Loaded>
  );
}
