// A form made from the contract's JSON Schema, with the server's faults at the fields that they are about.
import { useJobContract } from "../api/queries.ts";
import { Loaded } from "../parts/notices.tsx";
import { readOnlyIn, type Schema, SchemaField } from "./schema-field.tsx";

interface EditFormProps {
  readonly value: unknown;
  /** As the server words them: `job: lines[0].quantity: must be at least 1`. */
  readonly faults: readonly string[];
  readonly change: (value: unknown) => void;
}

export function EditForm({ value, faults, change }: EditFormProps) {
  const { workflow = "" } = value as { readonly workflow?: string };
  const contract = useJobContract(workflow);
  const byPlace = new Map(
    faults.map((fault) => {
      const [, place = "", text = fault] = /^job: ([^:\s]+): (.*)$/s.exec(fault) ?? [];
      return [place, text] as const;
    }),
  );
  return (
    <Loaded query={contract}>
      {(schema) => (
        <SchemaField
          schema={schema as Schema}
          name=""
          place=""
          value={value}
          isRequired
          fixed={new Set([...readOnlyIn(schema as Schema), "workflow"])}
          faults={byPlace}
          change={change}
        />
      )}
    </Loaded>
  );
}
