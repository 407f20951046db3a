// How far an action on many is, with its counts.
import { ProgressBar } from "./fluent.ts";

interface RunProgressProps {
  readonly label: string;
  readonly done: number;
  readonly total: number;
  readonly counts: readonly (readonly [name: string, count: number])[];
}

export function RunProgress({ label, done, total, counts }: RunProgressProps) {
  return (
    <>
      <ProgressBar aria-label={label} value={total === 0 ? 1 : done / total} />
      <ul className="tiles">
        {counts.map(([name, count]) => (
          <li key={name}>
            <span className="figure">{count.toLocaleString("en")}</span>
            <span>{name}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
