// What a fault run came to, for people: a line for each life, a table and a verdict.
import type { FaultLife, FaultRun } from "./run.ts";

/** One line: the job's scenario, its result and its duration. */
export function describeLife({ workflow, scenario, deaths, crashed, ms, faults }: FaultLife): string {
  const where = deaths.length === 0 ? "not killed" : `killed at ${deaths.join(", then ")}`;
  const what = faults.length > 0 ? `WRONG: ${faults.join("; ")}` : crashed ? "right" : "right, but not reached again";
  return `${workflow}, ${scenario}, ${where}: ${what} (${(ms / 1000).toFixed(1)} s)`;
}

/** A table with a row for each scenario, each failed job with its faults, and the verdict. */
export function describeRun({ lives, kills, ms, notRun, passed }: FaultRun): string {
  const groups = Map.groupBy(lives, ({ workflow, scenario }) => `${workflow}, ${scenario}`);
  const rows = [...groups].map(([name, own]) => rowOf(name, own));
  const wrong = lives.filter(({ faults }) => faults.length > 0);
  return [
    table([["workflow, and what happens", "jobs", "killed at", "not reached again", "wrong"], ...rows]),
    ...wrong.map((life) => `\n${life.jobId}: ${describeLife(life)}`),
    ...notRun.map((name) => `\nNot run: ${name} has no content.`),
    `\n${passed ? "PASSED" : "FAILED"}: ${lives.length} jobs, ${kills} kills of the host, ${wrong.length} jobs wrong, in ${Math.round(ms / 1000)} s` +
      (kills === 0 ? ". The host was never killed: this run shows nothing of crashes." : ""),
  ].join("\n");
}

function rowOf(name: string, lives: readonly FaultLife[]): string[] {
  const dying = lives.filter(({ deaths }) => deaths.length > 0);
  const missed = dying.filter(({ crashed }) => !crashed).length;
  const wrong = lives.filter(({ faults }) => faults.length > 0).length;
  return [name, ...[lives.length, dying.length - missed, missed, wrong].map(String)];
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ");
  const [head = [], ...body] = rows;
  return [line(head), widths.map((width) => "-".repeat(width)).join("  "), ...body.map(line)].join("\n");
}
