// All agents of this app: adding one is a file and a line here.
import type { Agent } from "./agent.ts";
import { inventoryAgent } from "./inventory.ts";
import { paymentAgent } from "./payment.ts";
import { shippingAgent } from "./shipping.ts";

/** Where each agent's remote service is. */
export interface AgentEndpoints {
  readonly inventory: string;
  readonly payment: string;
  readonly shipping: string;
}

export const agentNames = ["inventory", "payment", "shipping"] as const satisfies (keyof AgentEndpoints)[];

export function createAgents(endpoints: AgentEndpoints): ReadonlyMap<string, Agent> {
  const agents = [
    inventoryAgent(endpoints.inventory),
    paymentAgent(endpoints.payment),
    shippingAgent(endpoints.shipping),
  ];
  return new Map(agents.map((agent) => [agent.name, agent]));
}
