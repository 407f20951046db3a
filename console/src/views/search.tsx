// Finds orders by id, state, cause, workflow and step: each search has its own address. What is found can be acted on and exported.
import { Button, Field, Input, Select } from "@fluentui/react-components";
import { type FormEvent, useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { ErrorKind, OrderSummary, ProcessState } from "../api/contract.ts";
import { useOrders, useSession } from "../api/queries.ts";
import { OrderBadge } from "../parts/badges.tsx";
import { BulkOfSearch } from "../parts/bulk-of-search.tsx";
import { ExportButtons } from "../parts/export-buttons.tsx";
import { Loaded, Loading, Notice } from "../parts/notices.tsx";
import { type Column, type Selection, Table } from "../parts/table.tsx";
import { Age, Instant } from "../parts/zone.tsx";
import { ATTENTION } from "../words/attention.ts";
import { TEXT } from "../words/frame.ts";
import { KINDS, STATES } from "../words/order.ts";
import { SEARCH } from "../words/search.ts";

const NAMES = ["q", "state", "kind", "workflow", "step"] as const;

export function SearchView() {
  const [parameters, setParameters] = useSearchParams();
  const filter = Object.fromEntries(NAMES.map((name) => [name, parameters.get(name) ?? ""]));
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const chosen = NAMES.flatMap((name) => {
      const value = String(given.get(name) ?? "").trim();
      return value === "" ? [] : [[name, value]];
    });
    setParameters(Object.fromEntries(chosen));
  };
  return (
    <>
      <h1>{TEXT.search}</h1>
      {/* Anew for each address, so that Back restores what stands in the fields too. */}
      <form key={parameters.toString()} className="filters" onSubmit={find}>
        <Field label={SEARCH.text}>
          <Input name="q" type="search" defaultValue={filter["q"] ?? ""} />
        </Field>
        <Field label={SEARCH.state}>
          <Select name="state" defaultValue={filter["state"] ?? ""}>
            <option value="">{SEARCH.any}</option>
            {(Object.keys(STATES) as ProcessState[]).map((state) => (
              <option key={state} value={state}>
                {STATES[state]}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={SEARCH.kind}>
          <Select name="kind" defaultValue={filter["kind"] ?? ""}>
            <option value="">{SEARCH.any}</option>
            {(Object.keys(KINDS) as ErrorKind[]).map((kind) => (
              <option key={kind} value={kind}>
                {KINDS[kind]}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={SEARCH.workflow}>
          <Input name="workflow" defaultValue={filter["workflow"] ?? ""} />
        </Field>
        <Field label={SEARCH.step}>
          <Input name="step" defaultValue={filter["step"] ?? ""} />
        </Field>
        <Button type="submit" appearance="primary">
          {SEARCH.find}
        </Button>
      </form>
      {!filter["state"] && (filter["q"] || filter["kind"] || filter["workflow"] || filter["step"]) && (
        <p className="quiet">{SEARCH.slow}</p>
      )}
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

function Found({ filter }: { readonly filter: { readonly [name: string]: string } }) {
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
        if (orders.length === 0) {
          return (
            <Notice title={SEARCH.nothing}>
              <p>{SEARCH.nothingAbout}</p>
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
            {found.hasNextPage && (
              <Button disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
                {TEXT.more}
              </Button>
            )}
            {session?.mayOperate && <BulkOfSearch filter={filter} selection={selection} />}
            <ExportButtons filter={filter} />
          </>
        );
      }}
    </Loaded>
  );
}
