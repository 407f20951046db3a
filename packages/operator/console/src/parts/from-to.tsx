// Two times of a form, typed in the chosen zone.
import { Field, Input } from "./fluent.ts";
import { localOf } from "./local-time.ts";
import { useZone } from "./zone.tsx";

interface FromToProps {
  readonly words: { readonly from: string; readonly to: string };
  /** Instants; empty: none. */
  readonly given: { readonly from: string; readonly to: string };
}

export function FromTo({ words, given }: FromToProps) {
  const { zone } = useZone();
  return (["from", "to"] as const).map((name) => (
    <Field key={name} label={words[name]}>
      <Input key={zone} name={name} type="datetime-local" defaultValue={localOf(given[name], zone)} />
    </Field>
  ));
}
