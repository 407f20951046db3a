// All agents of this app: adding one is a file, a line here and the setting of its endpoints.

import type { Endpoint, OrderView, RoutedAgent } from "@scheduler-agent-supervisor/core/agents/agent";
import { type RouteOptions, routeAgent } from "@scheduler-agent-supervisor/core/agents/route-agent";
import type { AgentFacts, KnownAgents } from "@scheduler-agent-supervisor/core/domain/workflow";
import type { Order } from "../contracts/order.ts";
import { REFUNDS_AGENT } from "../domain/refund.ts";
import { approvalAgent } from "./approval.ts";
import { carAgent } from "./car.ts";
import { flightAgent } from "./flight.ts";
import { fraudAgent } from "./fraud.ts";
import { hotelAgent } from "./hotel.ts";
import { inventoryAgent } from "./inventory.ts";
import { paymentAgent } from "./payment.ts";
import { shippingAgent } from "./shipping.ts";
import { smokeAgent } from "./smoke.ts";

const agents = [
  inventoryAgent,
  paymentAgent,
  fraudAgent,
  shippingAgent,
  hotelAgent,
  flightAgent,
  carAgent,
  approvalAgent,
] as const;

export type AgentName = (typeof agents)[number]["name"];

/** Those that call a remote service: they have endpoints. */
export const routedAgents: readonly string[] = agents.map(({ name }) => name);

/** Where each agent's remote service answers; undefined for one that this deployment does without. */
export type AgentEndpoints = { readonly [name in AgentName]: readonly Endpoint[] | undefined };

/** Agents that call no service, and so have no endpoints. */
const agentsWithoutService: readonly RoutedAgent[] = [smokeAgent];

/** Agents whose resource is the state store, which stands outside this folder: operations/refunds-agent.ts. */
const agentsOfStore = [REFUNDS_AGENT];

/** Each runs in this app, as an activity. */
export const agentNames: readonly string[] = [...agents, ...agentsWithoutService, ...agentsOfStore].map(
  ({ name }) => name,
);

/**
 * Agents that are not in this app, perhaps in another language, with their operations and what they get of an order: each takes its
 * requests from the queue `agent-requests-<name>`. docs/how-to/agents-elsewhere.md shows one.
 */
const agentsElsewhere: {
  readonly [name: string]: { readonly operations: readonly string[]; readonly seen: (order: Order) => OrderView };
} = {};

const seenBy: ReadonlyMap<string, (order: Order) => OrderView> = new Map([
  ...agents.map(({ name, seen }): [string, (order: Order) => OrderView] => [name, seen]),
  ...Object.entries(agentsElsewhere).map(([name, { seen }]): [string, (order: Order) => OrderView] => [name, seen]),
]);

/** What the agent has declared that it gets of the order; of one that declares nothing the id alone. */
export function orderFor(agent: string, order: Order): OrderView {
  const { orderId } = order;
  return seenBy.get(agent)?.(order) ?? { orderId };
}

/** What the workflows are checked against. An agent of this app can be reached both ways. */
export const knownAgents: KnownAgents = new Map<string, AgentFacts>([
  ...agents.map(({ name, operations }): [string, AgentFacts] => [
    name,
    { operations: Object.keys(operations), transports: ["activity", "queue"] },
  ]),
  ...agentsWithoutService.map(({ name, operationNames }): [string, AgentFacts] => [
    name,
    { operations: operationNames, transports: ["activity", "queue"] },
  ]),
  ...agentsOfStore.map(({ name, operations }): [string, AgentFacts] => [
    name,
    { operations, transports: ["activity"] },
  ]),
  ...Object.entries(agentsElsewhere).map(([name, { operations }]): [string, AgentFacts] => [
    name,
    { operations, transports: ["queue"] },
  ]),
]);

/** @param ofStore those of `agentsOfStore` */
export function createAgents(
  endpoints: AgentEndpoints,
  options: RouteOptions,
  ofStore: readonly RoutedAgent[],
): ReadonlyMap<string, RoutedAgent> {
  const routed = agents.flatMap((agent) => {
    const own = endpoints[agent.name];
    return own ? [routeAgent(agent, own, options)] : [];
  });
  return new Map([...routed, ...agentsWithoutService, ...ofStore].map((agent) => [agent.name, agent]));
}
