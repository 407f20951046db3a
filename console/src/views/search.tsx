// Finds orders by id, state, cause, workflow, step and time: each search has its own address. What is found can be acted on and exported.
import { Button } from "@fluentui/react-components";
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { OrderPage, OrderSummary } from "../api/contract.ts";
import { useOrders, useSession } from "../api/queries.ts";
import { OrderBadge } from "../parts/badges.tsx";
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

const COLUMNS: readonly Column<OrderSummary>[] = [
  { name: ATTENTION.order, cell: ({ orderId }) => <Link href={`/orders/${orderId}`}>{orderId}</Link> },
  {
    name: SEARCH.state,
    cell: ({ processState, error }) => <OrderBadge state={processState} kind={error?.kind} />,
  },
  { name: SEARCH.workflow, cell: ({ workflow }) => `${workflow.name} v${workflow.version}` },
  { name: ATTENTION.attempt, isNumber: true, cell: ({ attempt }) => attempt },
  { name: SEARCH.created, cell: ({ createdAt }) => <Instant at={createdAt} /> },
  { name: SEARCH.updated, cell: ({ updatedAt }) => <Age at={updatedAt} /> },
];

/** How far a search has come that no index answers. */
function Looked({ pages }: { readonly pages: readonly OrderPage[] }) {
  const words = useInstant();
  const last = pages.at(-1)?.looked;
  if (!last) return null;
  const orders = pages.reduce((sum, { looked }) => sum + (looked?.orders ?? 0), 0);
  return <p role="status">{SEARCH.looked(orders, words(last.downTo))}</p>;
}

function Found({ filter }: { readonly filter: Searched }) {
  const found = useOrders(filter);
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
        const orders = pages.flatMap((page) => page.orders);
        const more = found.hasNextPage && (
          <>
            <Button disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
              {pages.at(-1)?.looked ? SEARCH.goOn : TEXT.more}
            </Button>
            {found.isFetchingNextPage && <Loading />}
          </>
        );
        if (orders.length === 0) {
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
              caption={SEARCH.found(orders.length, !found.hasNextPage)}
              columns={COLUMNS}
              rows={orders}
              keyOf={({ orderId }) => orderId}
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
