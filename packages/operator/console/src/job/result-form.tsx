// The result of a reported step, as a form from what its agent declares; as JSON where nothing is declared.

import { useState } from "react";
import { ApiFault } from "../api/client.ts";
import type { Inspection } from "../api/contract.ts";
import { useResultContract } from "../api/queries.ts";
import { Field, Textarea } from "../parts/fluent.ts";
import { Fault, Loading } from "../parts/notices.tsx";
import { AWAITING } from "../words/awaiting.ts";
import { type Schema, SchemaField } from "./schema-field.tsx";

interface ResultFormProps {
  readonly inspection: Inspection;
  readonly step: string;
  readonly value: unknown;
  /** As the server words them: `result.shipmentId: ...`. */
  readonly faults: readonly string[];
  /** Undefined for what can't be a result. */
  readonly change: (value: unknown) => void;
}

export function ResultForm({ inspection, step, value, faults, change }: ResultFormProps) {
  const { agent, operation } = operationOf(inspection, step);
  const { data, error, refetch } = useResultContract(agent, operation);
  if (error instanceof ApiFault && error.kind === "not-found") return <JsonField change={change} />;
  if (data === undefined) return error ? <Fault cause={error} retry={() => void refetch()} /> : <Loading />;
  const byPlace = new Map(
    faults.map((fault) => {
      const [, place = "", text = fault] = /^result\.([^:\s]+): (.*)$/s.exec(fault) ?? [];
      return [place, text] as const;
    }),
  );
  return (
    <SchemaField
      {...{ schema: data as Schema, name: "", place: "", value, isRequired: true }}
      {...{ fixed: NONE, faults: byPlace, change }}
    />
  );
}

const NONE: ReadonlySet<string> = new Set();

/** Of the direction in which its report is awaited. */
function operationOf({ record, workflow }: Inspection, name: string): { agent: string; operation: string } {
  const step = record.steps[name];
  const planned = workflow?.steps.find((one) => one.name === name);
  const compensation = step?.compensation?.state === "Awaiting" ? planned?.compensation : undefined;
  const operation = typeof compensation === "object" ? compensation.operation : planned?.operation;
  return { agent: step?.agent ?? "", operation: operation ?? "" };
}

function JsonField({ change }: Pick<ResultFormProps, "change">) {
  const [text, setText] = useState("");
  const typed = (given: string) => {
    setText(given);
    change(resultIn(given));
  };
  return (
    <Field
      label={AWAITING.result}
      hint={AWAITING.resultHint}
      validationMessage={resultIn(text) === undefined ? AWAITING.notResult : null}
    >
      <Textarea value={text} onChange={(_, { value }) => typed(value)} />
    </Field>
  );
}

/** Nothing counts as an object without members; undefined for what is no object. */
function resultIn(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    const given: unknown = JSON.parse(text);
    return given !== null && typeof given === "object" && !Array.isArray(given) ? given : undefined;
  } catch {
    return undefined;
  }
}
