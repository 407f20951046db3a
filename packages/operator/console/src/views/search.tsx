// Finds jobs by id, state, cause, workflow, step and time: each search has its own address. What is found can be acted on and exported.

import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { JobPage, JobSummary } from "../api/contract.ts";
import { useJobs, useJobTotal, useSession } from "../api/queries.ts";
import { JobBadge } from "../parts/badges.tsx";
import { BulkOfSearch } from "../parts/bulk-of-search.tsx";
import { Export } from "../parts/export.tsx";
import { Button } from "../parts/fluent.ts";
import { Loaded, Loading, Notice } from "../parts/notices.tsx";
import { SEARCHED, type Searched, SearchForm } from "../parts/search-form.tsx";
import { type Column, type Selection, type Sort, sorted, Table } from "../parts/table.tsx";
import { Age, Instant, useInstant } from "../parts/zone.tsx";
import { ATTENTION } from "../words/attention.ts";
import { TEXT } from "../words/frame.ts";
import { SEARCH } from "../words/search.ts";

export function SearchView() {
  const [parameters, setParameters] = useSearchParams();
  const filter = Object.fromEntries(SEARCHED.map((name) => [name, parameters.get(name) ?? ""])) as Searched;
  const { q, state, workflow, version, step, timeOf, key, waitsFor, from, to } = filter;
  const isMore = [q, workflow, version, step].some(Boolean) || (timeOf !== "" && timeOf !== "received");
  const isLookedFor = isMore && key === "" && waitsFor === "";
  const lacks = [...(state === "" ? ["state" as const] : []), ...(from === "" && to === "" ? ["time" as const] : [])];
  return (
    <>
      <h1>{TEXT.search}</h1>
      {/* Anew for each address, so that Back restores what stands in the fields too. */}
      <SearchForm key={parameters.toString()} filter={filter} find={setParameters} />
      {isLookedFor && <p className="quiet">{SEARCH.slow(lacks)}</p>}
      <Found key={`found ${parameters}`} filter={filter} />
    </>
  );
}

const COLUMNS: readonly Column<JobSummary>[] = [
  {
    get name() {
      return ATTENTION.job;
    },
    cell: ({ jobId }) => <Link href={`/jobs/${jobId}`}>{jobId}</Link>,
    sortedBy: ({ jobId }) => jobId,
  },
  {
    name: SEARCH.state,
    cell: ({ processState, error }) => <JobBadge state={processState} kind={error?.kind} />,
    sortedBy: ({ processState, error }) => `${processState} ${error?.kind ?? ""}`,
  },
  {
    name: SEARCH.workflow,
    cell: ({ workflow }) => `${workflow.name} v${workflow.version}`,
    sortedBy: ({ workflow }) => `${workflow.name} ${workflow.version}`,
  },
  { name: ATTENTION.attempt, isNumber: true, cell: ({ attempt }) => attempt, sortedBy: ({ attempt }) => attempt },
  { name: SEARCH.created, cell: ({ createdAt }) => <Instant at={createdAt} />, sortedBy: ({ createdAt }) => createdAt },
  { name: SEARCH.updated, cell: ({ updatedAt }) => <Age at={updatedAt} />, sortedBy: ({ updatedAt }) => updatedAt },
];

/** How far a search has come that no index answers. */
function Looked({ pages }: { readonly pages: readonly JobPage[] }) {
  const words = useInstant();
  const last = pages.at(-1)?.looked;
  if (!last) return null;
  const jobs = pages.reduce((sum, { looked }) => sum + (looked?.jobs ?? 0), 0);
  return <p role="status">{SEARCH.looked(jobs, words(last.downTo))}</p>;
}

/** So many rows are drawn at once: a browser draws thousands slowly. */
const DRAWN = 200;

function Found({ filter }: { readonly filter: Searched }) {
  const found = useJobs(filter);
  const total = useJobTotal(filter);
  const { data: session } = useSession();
  const [sort, sortBy] = useState<Sort>();
  const [drawn, draw] = useState(0);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const selection: Selection = {
    chosen,
    choose: (keys, isChosen) =>
      setChosen((before) => {
        const without = [...before].filter((key) => !keys.includes(key));
        return new Set(isChosen ? [...without, ...keys] : without);
      }),
  };
  if (found.data === undefined && !found.error) return <Loading />;
  return (
    <Loaded query={found}>
      {({ pages }) => {
        const jobs = sorted(distinct(pages), COLUMNS, sort);
        const more = found.hasNextPage && (
          <>
            <Button disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
              {pages.at(-1)?.looked ? SEARCH.goOn : TEXT.more}
            </Button>
            {found.isFetchingNextPage && <Loading />}
          </>
        );
        if (jobs.length === 0) {
          return (
            <Notice title={more ? SEARCH.nothingSoFar : SEARCH.nothing}>
              {more ? <Looked pages={pages} /> : <p>{SEARCH.nothingAbout}</p>}
              {more}
            </Notice>
          );
        }
        return (
          <>
            <Table
              caption={SEARCH.found(jobs.length, !found.hasNextPage, total.data?.count ?? null, total.data?.isMore)}
              columns={COLUMNS}
              rows={jobs.slice(drawn, drawn + DRAWN)}
              keyOf={({ jobId }) => jobId}
              sort={sort}
              sortBy={(by) => {
                sortBy(by);
                draw(0);
              }}
              {...(session?.mayOperate && { selection })}
            />
            {sort && found.hasNextPage && <p className="quiet">{SEARCH.sortedLoaded}</p>}
            <Looked pages={pages} />
            <Pager count={jobs.length} drawn={drawn} draw={draw} />
            {more}{" "}
            {pages.length > 1 && (
              <Button disabled={found.isFetching} onClick={() => void found.refetch()}>
                {SEARCH.refresh}
              </Button>
            )}
            {session?.mayOperate && <BulkOfSearch filter={filter} selection={selection} />}
            <Export filter={filter} />
          </>
        );
      }}
    </Loaded>
  );
}

/** A job that changed pages between two requests is listed once. */
function distinct(pages: readonly JobPage[]): readonly JobSummary[] {
  return [...new Map(pages.flatMap((page) => page.jobs.map((job) => [job.jobId, job] as const))).values()];
}

interface PagerProps {
  readonly count: number;
  readonly drawn: number;
  readonly draw: (from: number) => void;
}

function Pager({ count, drawn, draw }: PagerProps) {
  if (count <= DRAWN) return null;
  return (
    <nav className="pager" aria-label={SEARCH.pages}>
      <Button size="small" disabled={drawn === 0} onClick={() => draw(Math.max(0, drawn - DRAWN))}>
        {SEARCH.previous}
      </Button>
      <span>{SEARCH.rows(drawn + 1, Math.min(count, drawn + DRAWN), count)}</span>
      <Button size="small" disabled={drawn + DRAWN >= count} onClick={() => draw(drawn + DRAWN)}>
        {SEARCH.next}
      </Button>
    </nav>
  );
}
