// How much more time one job gets, or many.

import { EXTENSIONS, JOB } from "../words/job.ts";
import { Field, Select } from "./fluent.ts";

interface ExtensionFieldProps {
  /** An ISO 8601 duration. */
  readonly by: string;
  readonly choose: (by: string) => void;
}

export function ExtensionField({ by, choose }: ExtensionFieldProps) {
  return (
    <Field label={JOB.extendBy}>
      <Select value={by} onChange={(_, { value }) => choose(value)}>
        {Object.entries(EXTENSIONS).map(([duration, words]) => (
          <option key={duration} value={duration}>
            {words}
          </option>
        ))}
      </Select>
    </Field>
  );
}
