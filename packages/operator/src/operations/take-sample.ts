// Notes once a minute what the overview's curves show of the last hour: arrivals and completions, the oldest waiting message, and the agents with an open
// breaker.
import { instant } from "@scheduler-agent-supervisor/core/domain";
import type { AgentHealth } from "../contract.ts";
import type { QueueAge } from "../messaging/queue-ages.ts";
import type { HourCounts } from "../store/hour-counts.ts";
import type { SampleStore } from "../store/sample-store.ts";

export interface SamplePorts {
  readonly samples: SampleStore;
  readonly counts: Pick<HourCounts, "settled">;
  readonly queueAges: readonly QueueAge[];
  readonly agents: () => Promise<AgentHealth>;
  readonly now: () => number;
}

/** Throws if the store does not answer. A queue that can't be read leaves the age unknown, and the rest is noted. */
export async function takeSample({ samples, counts, queueAges, agents, now }: SamplePorts): Promise<void> {
  const at = now();
  const [before, oldestMs, health] = await Promise.all([samples.read(), oldestOf(queueAges, at), agents()]);
  const settled = await counts.settled(at, before.slots);
  const broken = health.agents.flatMap(({ name, instances }) =>
    instances.some(({ endpoints }) => endpoints.some(({ health }) => health !== "healthy")) ? [name] : [],
  );
  await samples.add(before, { at: instant(at), oldestMs, broken }, settled);
}

async function oldestOf(queueAges: SamplePorts["queueAges"], at: number): Promise<number | null> {
  try {
    const ages = await Promise.all(queueAges.map(({ read }) => read(at)));
    return Math.max(0, ...ages.flat().map(({ ageMs }) => ageMs));
  } catch {
    return null;
  }
}
