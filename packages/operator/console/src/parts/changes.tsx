// What differs between two values, by the place of each difference: for an operator's own edit and for what somebody else has changed.
import { JOB } from "../words/job.ts";

export interface Difference {
  readonly place: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export function changesBetween(before: unknown, after: unknown): Difference[] {
  const [old, now] = [new Map(leaves(before)), new Map(leaves(after))];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((place) => {
    const [was, is] = [old.get(place), now.get(place)];
    return was === is ? [] : [{ place, before: was, after: is }];
  });
}

function* leaves(value: unknown, place = ""): Generator<[string, string]> {
  if (Array.isArray(value)) {
    for (const [at, member] of value.entries()) yield* leaves(member, `${place}[${at}]`);
  } else if (value !== null && typeof value === "object") {
    for (const [name, member] of Object.entries(value)) yield* leaves(member, place ? `${place}.${name}` : name);
  } else if (value !== undefined) {
    yield [place, String(value)];
  }
}

export function DifferenceTable({ changes }: { readonly changes: readonly Difference[] }) {
  return (
    <table className="changes">
      <thead>
        <tr>
          <td />
          <th scope="col">{JOB.before}</th>
          <th scope="col">{JOB.after}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ place, before, after }) => (
          <tr key={place}>
            <th scope="row">{place}</th>
            <td data-name={JOB.before}>{before === undefined ? JOB.empty : <del>{before}</del>}</td>
            <td data-name={JOB.after}>{after === undefined ? JOB.empty : <ins>{after}</ins>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
