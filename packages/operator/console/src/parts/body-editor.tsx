// The body of a message, to edit: as a form from the contract of its workflow where it is such a job, and as JSON where it is not, or by choice.

import { useState } from "react";
import { useJobContract } from "../api/queries.ts";
import { readOnlyIn, type Schema, SchemaField } from "../job/schema-field.tsx";
import { DEAD_LETTERS } from "../words/dead-letters.ts";
import { Button, Field, Textarea } from "./fluent.ts";
import { Loading } from "./notices.tsx";

const NONE: ReadonlySet<string> = new Set();

interface BodyEditorProps {
  readonly label: string;
  readonly hint?: string;
  /** JSON, or any text that may become JSON. */
  readonly text: string;
  /** What is wrong with the message, each with its place: `lines[0].quantity: must be at least 1`. */
  readonly faults: readonly string[];
  /** The same edit is made in other messages too: what names the job can't be edited. */
  readonly isForMany?: boolean;
  readonly change: (text: string) => void;
}

export function BodyEditor({ label, hint, text, faults, isForMany = false, change }: BodyEditorProps) {
  const [asJson, setAsJson] = useState(false);
  const body = parsed(text)?.json;
  const { workflow } = isObject(body) ? body : {};
  const { data, error } = useJobContract(typeof workflow === "string" ? workflow : "");
  if (data === undefined && !error) return <Loading />;
  const schema = data as Schema | undefined;
  const hasForm = schema !== undefined && isObject(body) && fits(schema, body);
  if (hasForm && !asJson) {
    return (
      <fieldset className="fields">
        <legend>{label}</legend>
        {hint && <p className="quiet">{hint}</p>}
        <SchemaField
          {...{ schema, name: "", place: "", value: body, isRequired: true }}
          {...{ fixed: isForMany ? readOnlyIn(schema) : NONE, faults: faultsByPlace(faults) }}
          change={(value) => change(JSON.stringify(value, null, 2))}
        />
        <div className="buttons">
          <Button size="small" onClick={() => setAsJson(true)}>
            {DEAD_LETTERS.asJson}
          </Button>
        </div>
      </fieldset>
    );
  }
  const isWrong = parsed(text) === undefined;
  return (
    <>
      <Field
        label={label}
        {...(hint && { hint })}
        {...(isWrong && { validationState: "error", validationMessage: DEAD_LETTERS.notJson })}
      >
        <Textarea className="body" value={text} resize="vertical" onChange={(_, { value }) => change(value)} />
      </Field>
      {asJson && hasForm && (
        <div className="buttons">
          <Button size="small" onClick={() => setAsJson(false)}>
            {DEAD_LETTERS.asForm}
          </Button>
        </div>
      )}
    </>
  );
}

export function parsed(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** Another kind of message has other members. */
function fits({ required = [] }: Schema, body: { readonly [name: string]: unknown }): boolean {
  const present = required.filter((name) => name in body);
  return required.length > 0 && present.length * 2 >= required.length;
}

function faultsByPlace(faults: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    faults.flatMap((fault) => {
      const [, place, text] = /^([^:\s]+): (.*)$/s.exec(fault) ?? [];
      return place !== undefined && text !== undefined ? [[place, text] as const] : [];
    }),
  );
}
