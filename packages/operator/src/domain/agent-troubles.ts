// What is wrong with agents' endpoints, whether a job shows it yet or not: the same in the console and in the terminal.

interface Endpoint {
  readonly health: string;
  readonly isSlow: boolean;
}

interface Agents<One extends Endpoint> {
  readonly agents: readonly {
    readonly name: string;
    readonly instances: readonly { readonly endpoints: readonly One[] }[];
  }[];
}

export interface AgentTrouble<One extends Endpoint> {
  readonly agent: string;
  /** `broken`: the endpoint gets no calls. */
  readonly kind: "broken" | "slow";
  readonly endpoint: One;
}

/**
 * One of each agent, however many of its instances report one: that an endpoint gets no calls says more than that it is slow. The next call of one
 * that was broken says whether it is well again: until then nobody can know.
 */
export function agentTroubles<One extends Endpoint>({ agents }: Agents<One>): AgentTrouble<One>[] {
  return agents.flatMap(({ name: agent, instances }): AgentTrouble<One>[] => {
    const endpoints = instances.flatMap((each) => each.endpoints);
    const broken = endpoints.find(({ health, isSlow }) => health === "broken" || (health === "resting" && !isSlow));
    if (broken) return [{ agent, kind: "broken", endpoint: broken }];
    const slow = endpoints.find(({ isSlow }) => isSlow);
    return slow ? [{ agent, kind: "slow", endpoint: slow }] : [];
  });
}
