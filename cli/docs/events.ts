// Every event of the app, as a table.
import { ALIKE } from "@scheduler-agent-supervisor/core/internal/telemetry/alike";
import { EVENTS } from "@scheduler-agent-supervisor/core/internal/telemetry/event-names";

export function eventsTable(): string {
  const alike: readonly string[] = ALIKE;
  const rows = Object.entries(EVENTS).map(([name, [level, when, attributes]]) => {
    return `| \`${name}\`${alike.includes(name) ? " \\*" : ""} | ${level} | ${when} | ${attributes} |`;
  });
  return ["| event | level | when | attributes |", "| --- | --- | --- | --- |", ...rows].join("\n");
}
