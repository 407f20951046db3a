// One place of a JSON Schema as a field: an object is a group, a list has entries to add and remove, a value is an input.
import { Button, Checkbox, Field, Input, Select } from "../parts/fluent.ts";
import { JOB } from "../words/job.ts";

export interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly items?: Schema;
  /** It names the job: of another one it would be another job. */
  readonly readOnly?: boolean;
}

/** The members that can't be edited. */
export function readOnlyIn({ properties = {} }: Schema): ReadonlySet<string> {
  return new Set(Object.entries(properties).flatMap(([name, { readOnly }]) => (readOnly ? [name] : [])));
}

interface SchemaFieldProps {
  readonly schema: Schema;
  readonly name: string;
  /** As in the server's faults: `lines[0].quantity`. */
  readonly place: string;
  readonly value: unknown;
  readonly isRequired: boolean;
  readonly fixed: ReadonlySet<string>;
  readonly faults: ReadonlyMap<string, string>;
  readonly change: (value: unknown) => void;
}

export function SchemaField(props: SchemaFieldProps) {
  switch (props.schema.type) {
    case "object":
      return <ObjectField {...props} />;
    case "array":
      return <ListField {...props} />;
    default:
      return <ValueField {...props} />;
  }
}

function ObjectField({ schema, name, place, value, change, ...more }: SchemaFieldProps) {
  const fault = more.faults.get(place);
  const members = isObject(value) ? value : {};
  const fields = Object.entries(schema.properties ?? {}).map(([member, its]) => (
    <SchemaField
      {...more}
      key={member}
      schema={its}
      name={member}
      place={place ? `${place}.${member}` : member}
      value={members[member]}
      isRequired={schema.required?.includes(member) ?? false}
      change={(changed) => change(withMember(members, member, changed))}
    />
  ));
  if (name === "") return <div className="fields">{fields}</div>;
  return (
    <fieldset className="fields">
      <legend>{labelOf(name)}</legend>
      {fault !== undefined && <p className="fault">{fault}</p>}
      {fields}
    </fieldset>
  );
}

function ListField({ schema, name, place, value, change, ...more }: SchemaFieldProps) {
  const entries = Array.isArray(value) ? (value as readonly unknown[]) : [];
  const { items = {} } = schema;
  const fault = more.faults.get(place);
  return (
    <fieldset className="fields list">
      <legend>{labelOf(name)}</legend>
      {fault !== undefined && <p className="fault">{fault}</p>}
      {entries.map((entry, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an entry of a list has no other name.
        <div className="entry" key={at}>
          <SchemaField
            {...more}
            schema={items}
            name={`${name} ${at + 1}`}
            place={`${place}[${at}]`}
            value={entry}
            change={(changed) => change(entries.with(at, changed))}
          />
          <Button size="small" onClick={() => change(entries.toSpliced(at, 1))}>
            {JOB.remove(`${labelOf(name)} ${at + 1}`)}
          </Button>
        </div>
      ))}
      <Button size="small" onClick={() => change([...entries, emptyOf(items)])}>
        {JOB.add(labelOf(name))}
      </Button>
    </fieldset>
  );
}

function ValueField({ schema, name, place, value, isRequired, fixed, faults, change }: SchemaFieldProps) {
  const isNumber = schema.type === "integer" || schema.type === "number";
  const text = value === undefined || value === null ? "" : isObject(value) ? JSON.stringify(value) : String(value);
  const fault = faults.get(place);
  if (schema.type === "boolean") {
    return (
      <Checkbox
        label={labelOf(name)}
        checked={value === true}
        onChange={(_, { checked }) => change(checked === true)}
      />
    );
  }
  const read = (typed: string) => {
    if (typed === "" && !isRequired) return undefined;
    return isNumber && typed !== "" ? Number(typed) : typed;
  };
  return (
    <Field label={labelOf(name)} {...(fault && { validationState: "error", validationMessage: fault })}>
      {schema.enum ? (
        <Select value={text} onChange={(_, { value: chosen }) => change(read(chosen))}>
          {!isRequired && <option value="">{JOB.empty}</option>}
          {(text !== "" || isRequired) && !schema.enum.includes(text) && <option>{text}</option>}
          {schema.enum.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </Select>
      ) : (
        <Input
          type={isNumber ? "number" : "text"}
          value={text}
          readOnly={fixed.has(place)}
          onChange={(_, { value: typed }) => change(read(typed))}
        />
      )}
    </Field>
  );
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  value !== null && typeof value === "object" && !Array.isArray(value);

function withMember(members: { readonly [name: string]: unknown }, name: string, value: unknown) {
  const { [name]: _, ...others } = members;
  return value === undefined ? others : { ...members, [name]: value };
}

/** What may be empty is. */
function emptyOf({ type, properties = {}, required = [], enum: values }: Schema): unknown {
  if (values) return values[0];
  switch (type) {
    case "object":
      return Object.fromEntries(
        Object.entries(properties).flatMap(([name, schema]) =>
          required.includes(name) ? [[name, emptyOf(schema)]] : [],
        ),
      );
    case "array":
      return [];
    case "integer":
    case "number":
      return 1;
    default:
      return "";
  }
}

/** `postalCode` as `Postal code`. */
function labelOf(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, (_, end: string, begin: string) => `${end} ${begin.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
