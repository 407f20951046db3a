// Each instance's report on its agents' endpoints: one small document each, which expires when the instance stops reporting.
import type { Container } from "@azure/cosmos";

export interface EndpointReport {
  readonly endpoint: string;
  readonly health: "healthy" | "resting" | "broken" | "probeDue" | "probing";
  /** Calls in progress from this instance, and their limit. */
  readonly inFlight: number;
  readonly capacity: number;
  readonly isSlow: boolean;
  readonly lastError: string | null;
  /** Since when it is not healthy, or slow, to within some seconds; absent if it is well. */
  readonly since?: string | undefined;
}

export interface InstanceReport {
  readonly instance: string;
  readonly at: string;
  readonly agents: { readonly [agent: string]: readonly EndpointReport[] };
}

/** Every method throws if the store does not answer. */
export interface AgentHealthStore {
  all(): Promise<InstanceReport[]>;
  write(report: InstanceReport): Promise<void>;
}

/** No day has this name. */
const PARTITION = "agent-health";
/** Longer than the pause between two reports of an instance. */
export const REPORT_LASTS_S = 180;

/** @param container its partition key is `/day`, and its documents have a time to live */
export function createCosmosAgentHealthStore(container: Container): AgentHealthStore {
  return {
    async all() {
      const query = "SELECT c.instance, c.at, c.agents FROM c";
      return (await container.items.query<InstanceReport>(query, { partitionKey: PARTITION }).fetchAll()).resources;
    },
    async write(report) {
      await container.items.upsert({ ...report, id: report.instance, day: PARTITION, ttl: REPORT_LASTS_S });
    },
  };
}
