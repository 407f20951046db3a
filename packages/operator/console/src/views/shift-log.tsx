// What happened in a shift, over all jobs: operators' actions, bulk runs and notes; supervisors' decisions by sweep and cause.

import type { FormEvent } from "react";
import { Link, useSearchParams } from "wouter";
import type { ShiftLog } from "../api/contract.ts";
import { query, useShiftLog } from "../api/queries.ts";
import { Button, Field, Input } from "../parts/fluent.ts";
import { FromTo } from "../parts/from-to.tsx";
import { instantOf } from "../parts/local-time.ts";
import { Loaded, Notice } from "../parts/notices.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Instant, Said, useZone } from "../parts/zone.tsx";
import { TEXT } from "../words/frame.ts";
import { ACTIONS } from "../words/job.ts";
import { SHIFT_LOG } from "../words/shift-log.ts";
import { SUPERVISION } from "../words/supervision.ts";

type Entry = ShiftLog["entries"][number];

const NAMES: { readonly [action: string]: { readonly name: string } } = ACTIONS;

const COLUMNS: readonly Column<Entry>[] = [
  { name: SHIFT_LOG.at, cell: ({ at }) => <Instant at={at} /> },
  {
    name: SHIFT_LOG.who,
    cell: (entry) => <span className="who-did">{entry.kind === "action" ? entry.operator : SHIFT_LOG.supervisor}</span>,
  },
  {
    name: SHIFT_LOG.what,
    cell: (entry) =>
      SHIFT_LOG.times(entry.count) +
      (entry.kind === "action"
        ? (NAMES[entry.action]?.name ?? SHIFT_LOG.action(entry.action))
        : SUPERVISION.verdict(entry.verdict)),
  },
  { name: SHIFT_LOG.of, cell: (entry) => <About entry={entry} /> },
  {
    name: SHIFT_LOG.why,
    cell: (entry) => (
      <span>
        {entry.kind === "action" ? entry.reason : <Said text={entry.cause} />}
        {entry.outcome !== "done" && entry.outcome !== "applied" && (
          <span className={/^rejected/.test(entry.outcome) ? "fault" : "quiet"}>
            {" "}
            {entry.kind === "action" ? entry.outcome : SUPERVISION[entry.outcome as "lost" | "broken"]}
          </span>
        )}
      </span>
    ),
  },
];

const ADDRESSES: { readonly [kind: string]: (id: string) => string } = {
  group: (id) => `/?group=${id}`,
  queue: (id) => `/dead-letters/${id}`,
  message: (id) => `/dead-letters/${id}`,
};

function About({ entry }: { readonly entry: Entry }) {
  const { jobIds, count } = entry;
  const target = entry.kind === "action" ? SHIFT_LOG.targetOf(entry.action) : null;
  if (target) return <Link href={ADDRESSES[target.kind]?.(target.id) ?? "/"}>{SHIFT_LOG.target(target)}</Link>;
  if (entry.kind === "action" && entry.message !== null) {
    return (
      <Link href={`/dead-letters/${entry.message}`}>{SHIFT_LOG.target({ kind: "message", id: entry.message })}</Link>
    );
  }
  return (
    <>
      {jobIds.map((jobId, at) => (
        <span key={jobId}>
          {at > 0 && ", "}
          <Link href={`/jobs/${jobId}`}>{jobId}</Link>
        </span>
      ))}
      {count > jobIds.length && jobIds.length > 0 && ` ${SHIFT_LOG.more(count - jobIds.length)}`}
    </>
  );
}

export function ShiftLogView() {
  const [parameters, setParameters] = useSearchParams();
  const { zone } = useZone();
  const given = (name: string) => parameters.get(name) ?? "";
  const filter = { who: given("who"), from: given("from"), to: given("to") };
  const log = useShiftLog(filter);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const chosen = { who: text("who"), from: instantOf(text("from"), zone), to: instantOf(text("to"), zone) };
    setParameters(Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== "")));
  };
  return (
    <>
      <h1>{TEXT.shiftLog}</h1>
      <p className="quiet">{SHIFT_LOG.about}</p>
      <form key={parameters.toString()} className="filters" onSubmit={submit}>
        <Field label={SHIFT_LOG.who} className="wide-filter">
          <Input name="who" type="search" defaultValue={filter.who} placeholder={SHIFT_LOG.everybody} list="whos" />
        </Field>
        <datalist id="whos">
          <option value={SHIFT_LOG.supervisor} />
        </datalist>
        <FromTo words={SHIFT_LOG} given={filter} />
        <Button type="submit" appearance="primary">
          {SHIFT_LOG.show}
        </Button>
      </form>
      <Loaded query={log}>
        {({ entries, from, isAll }) => (
          <>
            {!isAll && (
              <p role="status">
                {SHIFT_LOG.cut} <Instant at={from} />
              </p>
            )}
            {entries.length === 0 ? (
              <Notice title={isAll ? SHIFT_LOG.nothing : SHIFT_LOG.nothingSince} />
            ) : (
              <Table
                caption={SHIFT_LOG.entries}
                columns={COLUMNS}
                rows={entries}
                keyOf={(entry) =>
                  `${entry.at} ${entry.kind} ${entry.jobIds[0]} ${entry.kind === "action" ? entry.action + entry.operator : entry.cause + entry.verdict}`
                }
              />
            )}
            <p>
              <Link href={`/shift-log${query({ who: filter.who, to: from })}`}>{SHIFT_LOG.earlier}</Link>
            </p>
          </>
        )}
      </Loaded>
    </>
  );
}
