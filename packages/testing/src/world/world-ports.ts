// What the operations of a world stand on: the app's own parts, on a store, an audit log and a lease in memory.

import type { AgentResources, RouteOptions } from "@scheduler-agent-supervisor/core/agents";
import type { AgentEndpoints, Business } from "@scheduler-agent-supervisor/core/app";
import { offered, USUAL_TIMING } from "@scheduler-agent-supervisor/core/domain";
import type { Messenger } from "@scheduler-agent-supervisor/core/messaging";
import {
  type AgentPresence,
  completionUrl,
  createAbsences,
  type Pauses,
  type Ports,
} from "@scheduler-agent-supervisor/core/scheduling";
import { createMemoryAuditLog } from "../memory/memory-audit-log.ts";
import type { MemoryJobStore } from "../memory/memory-job-store.ts";
import { createMemoryLease } from "../memory/memory-leadership.ts";
import type { Outages } from "./outages.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** Where a world's app takes reports of steps that are done later. */
export const APP_URL = "http://app.test";

export interface PortsOptions {
  readonly business: Business;
  readonly endpoints: AgentEndpoints;
  readonly routing: Omit<RouteOptions, "now">;
  readonly timing: Partial<Ports["timing"]> | undefined;
  readonly store: MemoryJobStore;
  readonly messenger: Messenger;
  readonly pauses: Pauses;
  readonly presence: AgentPresence;
  readonly outages: Outages;
  readonly time: VirtualTime;
  /** What this app's own agents send over the bus. */
  readonly send: AgentResources["send"];
}

/** As a process has them when it begins: they know nothing of their endpoints. */
export function createWorldAgents({
  business,
  endpoints,
  routing,
  store,
  pauses,
  time,
  send,
}: Omit<PortsOptions, "timing" | "messenger" | "presence" | "outages">): Ports["agents"] {
  const now = () => time.shown;
  const mayBegin = async (name: string) => !(await pauses.isPaused({ kind: "agent", name }));
  return business.createAgents(endpoints, { ...routing, now, mayBegin }, { store, now, send });
}

export function createWorldPorts(options: PortsOptions): Ports {
  const { business, endpoints, timing, store, messenger, pauses, presence, outages, time } = options;
  const workflows = business.loadWorkflows();
  const now = () => time.shown;
  let nonces = 0;
  return {
    store,
    messenger,
    pauses,
    presence,
    agents: createWorldAgents(options),
    jobFor: business.contentFor,
    checkResult: business.checkResult,
    workflows,
    isNewerWorkflow: async () => false,
    rules: {
      workflows: offered(workflows, endpoints),
      contracts: business.contracts,
      listFaults: workflows.listFaults,
    },
    timing: { ...USUAL_TIMING, ...timing },
    taskHub: "world",
    leadership: createMemoryLease(15_000, now).heldBy("supervisor"),
    supervision: outages.over("store", createMemoryAuditLog()),
    absences: createAbsences(now),
    admission: { admit: async () => undefined },
    completionUrl: (ticket) => completionUrl(APP_URL, ticket),
    nonce: () => {
      nonces += 1;
      return `nonce-${nonces}`;
    },
    now,
    pause: (ms) => new Promise<void>((resolve) => void time.at(time.now + ms, resolve)),
  };
}
