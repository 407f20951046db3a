// The agents as a table: framed on a terminal, else a line for each.
import type { AnyAgent } from "@scheduler-agent-supervisor/core/agents";
import type { Business } from "@scheduler-agent-supervisor/core/app";
import { framed } from "../orders/table.ts";

const HEAD = ["agent", "operations", "service", "setting", "on this machine", "reached by"] as const;
type Row = readonly string[];

/** @param columns the width of the terminal; undefined: it is none */
export function agentTable(
  { agents, knownAgents }: Pick<Business, "agents" | "knownAgents">,
  columns: number | undefined,
): string {
  const rows = agents.map((agent): Row => {
    const { operations = [], transports = [] } = knownAgents.get(agent.name) ?? {};
    return [agent.name, operations.join(", "), ...serviceCells(agent), transports.join(", ")];
  });
  if (columns === undefined) return plain(rows);
  // Setting and address stand in one column, without the endpoint's options: so neither is broken in a terminal of the usual width.
  const [agent, operations, service, setting, , reached] = HEAD;
  const narrow = rows.map(([name = "", does = "", kind = "", its = "", where = "", by = ""]) => [
    ...[name, does, kind],
    ...[`${its} ${where.replace(/;.*/, "")}`.trim(), by],
  ]);
  return framed([agent, operations, service, setting, reached], narrow, columns);
}

function serviceCells(agent: AnyAgent): Row {
  switch (agent.kind) {
    case "service": {
      const { setting, local, isOptional } = agent.service;
      return [isOptional ? "optional" : "required", setting, local];
    }
    case "local":
      return ["none", "", ""];
    case "remote":
      return ["elsewhere", "", ""];
    default:
      return agent satisfies never;
  }
}

function plain(rows: readonly Row[]): string {
  const all = [HEAD, ...rows];
  const widths = HEAD.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
