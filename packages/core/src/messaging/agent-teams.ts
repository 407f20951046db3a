// Teams that run agents elsewhere (P7): each replies on its own queue, to which no other team may send.
import { z } from "zod";
import { listSetting } from "./json-setting.ts";

export interface AgentTeam {
  /** The suffix of its reply queue: `agent-replies-<team>`. */
  readonly team: string;
  /** The agents that it runs. */
  readonly agents: readonly string[];
}

const entry = z.strictObject({
  team: z.string().regex(/^[a-z][a-z0-9-]{0,59}$/, "must be lower-case letters, digits and -"),
  agents: z.array(z.string().min(1)).min(1),
}) satisfies z.ZodType<AgentTeam>;

/** The setting that lists them, generated from infra/entities/service-bus.json. */
export const agentTeams = listSetting<AgentTeam>(entry, (teams) => [
  ...repeated(teams.map(({ team }) => team)).map((team) => `${team} is there twice`),
  ...repeated(teams.flatMap(({ agents }) => [...new Set(agents)])).map((agent) => `${agent} has two teams`),
]);

/** Undefined for an agent whose replies arrive on the app's own queue. */
export function teamOf(agent: string, teams: readonly AgentTeam[] = []): string | undefined {
  return teams.find(({ agents }) => agents.includes(agent))?.team;
}

/** @param own the app's own reply queue */
export function repliesQueueOf(team: string | undefined, own: string): string {
  return team === undefined ? own : `${own}-${team}`;
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
