// What needs a person: jobs in groups by their cause, and messages that could not be processed.
import { Button } from "@fluentui/react-components";
import { lazy, Suspense } from "react";
import { Link, useSearchParams } from "wouter";
import type { Attention, AttentionJob, CauseGroup, DeadLetterCounts } from "../api/contract.ts";
import { useAttention, useAttentionPage, useAwaiting, useDeadLetterCounts } from "../api/queries.ts";
import { JobBadge } from "../parts/badges.tsx";
import { BulkButtons, BulkUnderWay } from "../parts/bulk-buttons.tsx";
import { ClaimedBy } from "../parts/claimed-by.tsx";
import { HourChart } from "../parts/hour-chart.tsx";
import { Loaded, Loading, Notice } from "../parts/notices.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Age, Instant } from "../parts/zone.tsx";
import { ATTENTION } from "../words/attention.ts";
import { AWAITING } from "../words/awaiting.ts";
import { BULK } from "../words/bulk.ts";
import { DEAD_LETTERS } from "../words/dead-letters.ts";
import { TEXT } from "../words/frame.ts";
import { KINDS } from "../words/job.ts";

const Handling = lazy(async () => ({ default: (await import("../parts/handling.tsx")).Handling }));

export function AttentionView() {
  const attention = useAttention();
  const [parameters] = useSearchParams();
  const chosen = parameters.get("group") ?? undefined;
  return (
    <>
      <h1>{TEXT.attention}</h1>
      {chosen === undefined && (
        <>
          <WaitingMessages />
          <AwaitedReports />
        </>
      )}
      <BulkUnderWay />
      <Loaded query={attention}>
        {(data) =>
          data.count === 0 ? (
            <Notice title={ATTENTION.nothing} kind="good">
              <p>{ATTENTION.nothingAbout}</p>
            </Notice>
          ) : (
            <>
              {chosen !== undefined && (
                <p className="back">
                  <Link href="/">{ATTENTION.showAll}</Link>
                </p>
              )}
              <Groups attention={data} chosen={chosen} />
              <Jobs group={chosen} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function Groups({ attention, chosen }: { readonly attention: Attention; readonly chosen: string | undefined }) {
  const { groups, count, isAll } = attention;
  const shown = chosen === undefined ? groups : groups.filter(({ id }) => id === chosen);
  return (
    <section aria-labelledby="causes">
      <h2 id="causes">
        {ATTENTION.byCause} <span className="quiet">{ATTENTION.jobs(TEXT.capped(count, isAll))}</span>
      </h2>
      <ul className="groups">
        {shown.map((group) => (
          <li key={group.id}>
            <Group group={group} isAll={isAll} />
            {chosen !== undefined && group.kind !== null && (
              <>
                <BulkButtons
                  target={{ group: group.id }}
                  actions={["resubmit", "compensate", "markResolved"]}
                  words={(action) => BULK.preview(action, group.count, isAll)}
                />
                <Suspense>
                  <Handling target={{ kind: "group", id: group.id }} />
                </Suspense>
              </>
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
          <Link href={`/?group=${id}`}>{kind === null ? ATTENTION.other : example}</Link>
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
        <ClaimedBy target={{ kind: "group", id }} />
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
        <ClaimedBy target={{ kind: "job", id: jobId }} />
      </>
    ),
  },
  {
    name: ATTENTION.cause,
    cell: ({ error }) => (
      <>
        <JobBadge state="Error" kind={error.kind} /> <span className="message">{error.message}</span>
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

/** Steps that whoever does them reports later: an approval may be among them. */
function AwaitedReports() {
  const { data } = useAwaiting();
  const [first] = data?.steps ?? [];
  if (!data || !first) return null;
  return (
    <section aria-labelledby="awaited">
      <h2 id="awaited">{AWAITING.title}</h2>
      <article className="group">
        <span className="count">{TEXT.capped(data.steps.length, data.isAll)}</span>
        <div className="cause">
          <h3>
            <Link href="/awaiting">{AWAITING.all}</Link>
          </h3>
          <p className="quiet">
            {AWAITING.next} {first.step}, <Link href={`/jobs/${first.jobId}`}>{first.jobId}</Link>
            {first.until && (
              <>
                , <Instant at={first.until} />
              </>
            )}
          </p>
        </div>
      </article>
    </section>
  );
}

/** Queues that hold messages which nobody takes any more: of which causes, how old, and who sees to them. */
function WaitingMessages() {
  const { data } = useDeadLetterCounts();
  const waiting = data?.queues.filter((queue) => "error" in queue || queue.count > 0) ?? [];
  if (waiting.length === 0) return null;
  return (
    <section aria-labelledby="messages">
      <h2 id="messages">{ATTENTION.messages}</h2>
      <ul className="groups">
        {waiting.map((queue) => (
          <li key={queue.queue}>
            <Queue queue={queue} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Queue({ queue: counted }: { readonly queue: DeadLetterCounts["queues"][number] }) {
  const { queue } = counted;
  const isCounted = !("error" in counted);
  return (
    <article className="group">
      <span className="count">{isCounted ? TEXT.capped(counted.count, counted.isAll) : "?"}</span>
      <div className="cause">
        <h3>
          <Link href={`/dead-letters/${queue}`}>{ATTENTION.queue(queue)}</Link>
        </h3>
        {isCounted ? <Causes causes={counted.causes} isAll={counted.isAll} /> : <p>{DEAD_LETTERS.uncounted}</p>}
        <ClaimedBy target={{ kind: "queue", id: queue }} />
      </div>
    </article>
  );
}

type Counted = Extract<DeadLetterCounts["queues"][number], { readonly count: number }>;

function Causes({ causes, isAll }: Pick<Counted, "causes" | "isAll">) {
  return (
    <ul className="causes">
      {causes.map(({ cause, count, oldestAt }) => (
        <li key={cause ?? ""}>
          <span className="message">{cause ?? ATTENTION.otherReasons}</span>
          <span className="quiet">
            {" · "}
            {count > 1 && `${ATTENTION.messageCount(TEXT.capped(count, isAll))}, ${ATTENTION.oldest} `}
            {oldestAt && <Age at={oldestAt} />}
          </span>
        </li>
      ))}
    </ul>
  );
}
