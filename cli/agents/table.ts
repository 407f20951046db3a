// The agents as a table: framed on a terminal, else a line for each.
import type { AnyAgent } from "@scheduler-agent-supervisor/core/internal/app/define-agent";
import type { Business } from "@scheduler-agent-supervisor/core/internal/app/define-app";
import Table from "cli-table3";

const HEAD = ["agent", "operations", "service", "setting", "on this machine", "reached by"] as const;
type Row = readonly string[];

export function agentTable(
  { agents, knownAgents }: Pick<Business, "agents" | "knownAgents">,
  isFramed: boolean,
): string {
  const separator = isFramed ? "\n" : ", ";
  const rows = agents.map((agent): Row => {
    const { operations = [], transports = [] } = knownAgents.get(agent.name) ?? {};
    return [agent.name, operations.join(separator), ...serviceCells(agent), transports.join(separator)];
  });
  return isFramed ? framed(rows) : plain(rows);
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

function framed(rows: readonly Row[]): string {
  const table = new Table({ head: [...HEAD], style: { head: ["cyan"] } });
  table.push(...rows.map((row) => [...row]));
  return table.toString();
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
