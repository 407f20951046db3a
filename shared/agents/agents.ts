// All agents of this app: adding one is a file, a line here and the setting of its endpoints.
import type { Agent, Endpoint, RoutedAgent } from "./agent.ts";
import { fraudAgent } from "./fraud.ts";
import { inventoryAgent } from "./inventory.ts";
import { paymentAgent } from "./payment.ts";
import { type RouteOptions, routeAgent } from "./route-agent.ts";
import { shippingAgent } from "./shipping.ts";

const agents = [inventoryAgent, paymentAgent, fraudAgent, shippingAgent] as const satisfies readonly Agent[];

export type AgentName = (typeof agents)[number]["name"];

/** Where each agent's remote service answers. */
export type AgentEndpoints = { readonly [name in AgentName]: readonly Endpoint[] };

export const agentNames: readonly AgentName[] = agents.map(({ name }) => name);

/** What the workflows are checked against: each agent's operations. */
export const agentOperations: ReadonlyMap<string, readonly string[]> = new Map(
  agents.map(({ name, operations }) => [name, Object.keys(operations)]),
);

export function createAgents(endpoints: AgentEndpoints, options: RouteOptions): ReadonlyMap<string, RoutedAgent> {
  return new Map(agents.map((agent) => [agent.name, routeAgent(agent, endpoints[agent.name], options)]));
}
