// Finds jobs by id, state, cause, workflow, step and time: each search has its own address. What is found can be acted on and exported.
import { Button } from "@fluentui/react-components";
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { JobPage, JobSummary } from "../api/contract.ts";
import { useJobs, useSession } from "../api/queries.ts";
import { JobBadge } from "../parts/badges.tsx";
import { BulkOfSearch } from "../parts/bulk-of-search.tsx";
import { ExportButtons } from "../parts/export-buttons.tsx";
import { Loaded, Loading, Notice } from "../parts/notices.tsx";
import { SavedSearches } from "../parts/saved-searches.tsx";
import { SEARCHED, type Searched, SearchForm } from "../parts/search-form.tsx";
import { type Column, type Selection, Table } from "../parts/table.tsx";
import { Age, Instant, useInstant } from "../parts/zone.tsx";
import { ATTENTION } from "../words/attention.ts";
import { TEXT } from "../words/frame.ts";
import { SEARCH } from "../words/search.ts";

export function SearchView() {
  const [parameters, setParameters] = useSearchParams();
  const filter = Object.fromEntries(SEARCHED.map((name) => [name, parameters.get(name) ?? ""])) as Searched;
  const { q, workflow, version, step, timeOf, key } = filter;
  const isMore = [q, workflow, version, step].some(Boolean) || (timeOf !== "" && timeOf !== "received");
  const isLookedFor = isMore && key === "";
  return (
    <>
      <h1>{TEXT.search}</h1>
      {/* Anew for each address, so that Back restores what stands in the fields too. */}
      <SearchForm key={parameters.toString()} filter={filter} find={setParameters} />
      <SavedSearches filter={filter} />
      {isLookedFor && <p className="quiet">{SEARCH.slow}</p>}
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
  },
  {
    name: SEARCH.state,
    cell: ({ processState, error }) => <JobBadge state={processState} kind={error?.kind} />,
  },
  { name: SEARCH.workflow, cell: ({ workflow }) => `${workflow.name} v${workflow.version}` },
  { name: ATTENTION.attempt, isNumber: true, cell: ({ attempt }) => attempt },
  { name: SEARCH.created, cell: ({ createdAt }) => <Instant at={createdAt} /> },
  { name: SEARCH.updated, cell: ({ updatedAt }) => <Age at={updatedAt} /> },
];

/** How far a search has come that no index answers. */
function Looked({ pages }: { readonly pages: readonly JobPage[] }) {
  const words = useInstant();
  const last = pages.at(-1)?.looked;
  if (!last) return null;
  const jobs = pages.reduce((sum, { looked }) => sum + (looked?.jobs ?? 0), 0);
  return <p role="status">{SEARCH.looked(jobs, words(last.downTo))}</p>;
}

function Found({ filter }: { readonly filter: Searched }) {
  const found = useJobs(filter);
  const { data: session } = useSession();
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
        const jobs = pages.flatMap((page) => page.jobs);
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
              caption={SEARCH.found(jobs.length, !found.hasNextPage)}
              columns={COLUMNS}
              rows={jobs}
              keyOf={({ jobId }) => jobId}
              {...(session?.mayOperate && { selection })}
            />
            <Looked pages={pages} />
            {more}
            {session?.mayOperate && <BulkOfSearch filter={filter} selection={selection} />}
            <ExportButtons filter={filter} />
          </>
        );
      }}
    </Loaded>
  );
}
