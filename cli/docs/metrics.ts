// Every metric of the app, as a table.
import { DERIVED, METRICS } from "@scheduler-agent-supervisor/core/internal/telemetry/metrics";

export function metricsTable(): string {
  const rows = Object.entries(METRICS).map(([name, { kind, unit, attributes, description }]) => {
    const events = Object.entries(DERIVED).flatMap(([event, made]) =>
      made.some(({ metric }) => metric === name) ? [`\`${event}\``] : [],
    );
    const cells = [
      `\`${name}\``,
      kind === "age" ? "gauge" : kind,
      unit.replaceAll(/[{}]/g, ""),
      attributes,
      description,
      events.join(", "),
    ];
    return `|${cells.map((cell) => (cell === "" ? " |" : ` ${cell} |`)).join("")}`;
  });
  return [
    "| metric | kind | unit | attributes | meaning | made of |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}
