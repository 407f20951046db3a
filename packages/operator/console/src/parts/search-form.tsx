// What to search for. Times are typed in the chosen zone, and stand in the address as instants.

import type { FormEvent } from "react";
import type { ErrorKind, ProcessState } from "../api/contract.ts";
import { useSession } from "../api/queries.ts";
import { KINDS, STATES } from "../words/job.ts";
import { SEARCH } from "../words/search.ts";
import { Button, Field, Input, Select } from "./fluent.ts";
import { FromTo } from "./from-to.tsx";
import { instantOf } from "./local-time.ts";
import { useZone } from "./zone.tsx";

export const SEARCHED = [
  "q",
  "state",
  "kind",
  "workflow",
  "version",
  "step",
  "key",
  "waitsFor",
  "timeOf",
  "from",
  "to",
] as const;
export type Searched = { readonly [name in (typeof SEARCHED)[number]]: string };

interface SearchFormProps {
  readonly filter: Searched;
  readonly find: (chosen: Record<string, string>) => void;
}

export function SearchForm({ filter, find }: SearchFormProps) {
  const { zone } = useZone();
  const { data: session } = useSession();
  const keys = session?.keys ?? [];
  const [first] = keys;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const text = (name: string) => String(given.get(name) ?? "").trim();
    const [from, to] = [instantOf(text("from"), zone), instantOf(text("to"), zone)];
    const chosen = { ...Object.fromEntries(SEARCHED.map((name) => [name, text(name)])), from, to };
    const timeOf = from || to ? text("timeOf") : "";
    find(Object.fromEntries(Object.entries({ ...chosen, timeOf }).filter(([, value]) => value !== "")));
  };
  return (
    <form className="filters" onSubmit={submit}>
      <Field label={SEARCH.text} className="wide-filter">
        <Input name="q" type="search" defaultValue={filter.q} />
      </Field>
      <Field label={SEARCH.state}>
        <Select name="state" defaultValue={filter.state}>
          <option value="">{SEARCH.any}</option>
          {(Object.keys(STATES) as ProcessState[]).map((state) => (
            <option key={state} value={state}>
              {STATES[state]}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={SEARCH.kind}>
        <Select name="kind" defaultValue={filter.kind}>
          <option value="">{SEARCH.any}</option>
          {(Object.keys(KINDS) as ErrorKind[]).map((kind) => (
            <option key={kind} value={kind}>
              {KINDS[kind]}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={SEARCH.workflow}>
        <Input name="workflow" defaultValue={filter.workflow} />
      </Field>
      <Field label={SEARCH.version}>
        <Input name="version" inputMode="numeric" defaultValue={filter.version} />
      </Field>
      <Field label={SEARCH.step}>
        <Input name="step" defaultValue={filter.step} />
      </Field>
      {first && (
        <Field label={SEARCH.key}>
          <Input
            name="key"
            defaultValue={filter.key}
            placeholder={SEARCH.keyExample(first)}
            pattern={`(${keys.join("|")}):.+`}
          />
        </Field>
      )}
      <Field label={SEARCH.waitsFor}>
        <Select key={session ? "known" : ""} name="waitsFor" defaultValue={filter.waitsFor}>
          <option value="">{SEARCH.anything}</option>
          <option value="person">{SEARCH.waits.person}</option>
          <option value="time">{SEARCH.waits.time}</option>
          <Names label={SEARCH.agent} of="agent" names={session?.agents ?? []} chosen={filter.waitsFor} />
          <Names label={SEARCH.step} of="step" names={session?.steps ?? []} chosen={filter.waitsFor} />
        </Select>
      </Field>
      <Field label={SEARCH.timeOf}>
        <Select name="timeOf" defaultValue={filter.timeOf || "received"}>
          {Object.entries(SEARCH.times).map(([time, words]) => (
            <option key={time} value={time}>
              {words}
            </option>
          ))}
        </Select>
      </Field>
      <FromTo words={SEARCH} given={filter} />
      <Button type="submit" appearance="primary">
        {SEARCH.find}
      </Button>
    </form>
  );
}

interface NamesProps {
  readonly label: string;
  readonly of: "agent" | "step";
  readonly names: readonly string[];
  readonly chosen: string;
}

/** One of an address that this app does not know is listed too. */
function Names({ label, of, names, chosen }: NamesProps) {
  const [chosenOf, chosenName = ""] = chosen.split(":");
  const all = chosenOf === of && !names.includes(chosenName) ? [...names, chosenName] : names;
  if (all.length === 0) return null;
  return (
    <optgroup label={label}>
      {all.map((name) => (
        <option key={name} value={`${of}:${name}`}>
          {name}
        </option>
      ))}
    </optgroup>
  );
}
