// What a sweep would decide under other rules: asked for, and nothing is done.

import { type FormEvent, useState } from "react";
import { Link } from "wouter";
import { ApiFault, get } from "../api/client.ts";
import type { WhatIf } from "../api/contract.ts";
import { query } from "../api/queries.ts";
import { SUPERVISION, WHAT_IF } from "../words/supervision.ts";
import { Button, Field, Input, Select } from "./fluent.ts";
import { instantOf } from "./local-time.ts";
import { Fault, Progress } from "./notices.tsx";
import { type Column, Table } from "./table.tsx";
import { Said, useZone } from "./zone.tsx";

type Prospect = WhatIf["prospects"][number];

const COLUMNS: readonly Column<Prospect>[] = [
  {
    get name() {
      return SUPERVISION.job;
    },
    cell: ({ jobId }) => <Link href={`/jobs/${jobId}`}>{jobId}</Link>,
  },
  { name: WHAT_IF.decided, cell: ({ verdict }) => SUPERVISION.verdict(verdict) },
  { name: WHAT_IF.today, cell: ({ today }) => SUPERVISION.verdict(today) },
  { name: SUPERVISION.why, cell: ({ rule }) => <Said text={rule} /> },
];

export function WhatIfForm() {
  const { zone } = useZone();
  const [found, setFound] = useState<WhatIf>();
  const [fault, setFault] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const ask = async (form: FormData) => {
    const text = (name: string) => String(form.get(name) ?? "").trim();
    setBusy(true);
    setFault(undefined);
    try {
      const rules = { failureThreshold: text("failureThreshold"), onExhausted: text("onExhausted") };
      const at = instantOf(text("at"), zone);
      setFound(await get<WhatIf>(`supervisor/what-if${query({ ...rules, at })}`));
    } catch (cause) {
      setFault(cause instanceof ApiFault ? cause : new ApiFault("failed", 0, String(cause)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <details className="section what-if">
      <summary>{WHAT_IF.title}</summary>
      <p className="quiet">{WHAT_IF.about}</p>
      <form
        className="filters"
        onSubmit={(event: FormEvent<HTMLFormElement>) => {
          event.preventDefault();
          void ask(new FormData(event.currentTarget));
        }}
      >
        <Field label={WHAT_IF.threshold}>
          <Input name="failureThreshold" type="number" min={1} max={999} />
        </Field>
        <Field label={WHAT_IF.exhausted}>
          <Select name="onExhausted">
            <option value="">{WHAT_IF.asNow}</option>
            <option value="fail">{SUPERVISION.verdict("fail")}</option>
            <option value="compensate">{SUPERVISION.verdict("compensate")}</option>
          </Select>
        </Field>
        <Field label={WHAT_IF.at}>
          <Input name="at" type="datetime-local" />
        </Field>
        <Button type="submit" disabled={isBusy}>
          {WHAT_IF.ask}
        </Button>
        <Progress isBusy={isBusy} />
      </form>
      {fault !== undefined && <Fault cause={fault} />}
      {found && (
        <>
          <p role="status" className="said">
            {WHAT_IF.found(found.found, found.different)}{" "}
            {Object.entries(found.verdicts)
              .map(([verdict, count]) => `${count.toLocaleString("en")} ${SUPERVISION.verdict(verdict)}`)
              .join(", ")}
          </p>
          {!found.finished && <p className="fault">{WHAT_IF.unfinished}</p>}
          {found.prospects.length < found.found && (
            <p>
              {WHAT_IF.someOf(found.prospects.length, found.found)}{" "}
              <Link href="/search?state=Processing">{WHAT_IF.all}</Link>
            </p>
          )}
          {found.prospects.length > 0 && (
            <Table
              caption={WHAT_IF.prospects}
              columns={COLUMNS}
              rows={[...found.prospects].sort(byDifference)}
              keyOf={({ jobId }) => jobId}
            />
          )}
        </>
      )}
    </details>
  );
}

/** What is different first. */
const byDifference = (one: Prospect, other: Prospect): number =>
  Number(other.verdict !== other.today) - Number(one.verdict !== one.today);
