// The words for agents and for what is paused.
import type { EndpointStanding, Pause } from "../api/contract.ts";
import { say } from "./noun.ts";

export const HEALTHS: { readonly [health in EndpointStanding["health"]]: string } = {
  healthy: "Healthy",
  resting: "Resting: its service asked for a pause",
  broken: "Breaker open: it gets no calls",
  probeDue: "Breaker open: the next call tries it",
  probing: "One call tries it",
};

const KINDS: { readonly [kind in Pause["kind"]]: string } = { workflow: "Workflow", agent: "Agent" };
const MEANINGS: { readonly [kind in Pause["kind"]]: string } = {
  get workflow() {
    return say`New {jobs} wait in their queue and count as no failure. {Jobs} that have begun go on.`;
  },
  get agent() {
    return say`Its steps are not begun: their {jobs} wait and count no failure. Calls that are under way end.`;
  },
};

export const AGENTS = {
  title: "Agents",
  workflows: "Workflows",
  paused: (kind: Pause["kind"], name: string) => `${KINDS[kind]} ${name} is paused`,
  by: (by: string, reason: string) => `by ${by}: ${reason}`,
  since: "since",
  pause: "Pause",
  resume: "Resume",
  change: (change: "pause" | "resume", name: string) => `${change === "pause" ? "Pause" : "Resume"} ${name}`,
  confirm: (change: "pause" | "resume", name: string, environment: string) =>
    `${change === "pause" ? "Pause" : "Resume"} ${name} (${environment})`,
  meaning: (kind: Pause["kind"]) => MEANINGS[kind],
  running: "Takes new work",
  state: "State",
  workflow: "Workflow",
  action: "Action",
  cancel: "Cancel",
  endpoint: "Endpoint",
  instance: "Instance",
  health: "Health",
  load: "Load",
  loadOf: (inFlight: number, capacity: number) => `${inFlight} of ${capacity} calls`,
  slow: "slow",
  lastError: "Last error",
  said: "Said",
  endpoints: "Endpoints",
  noReports: "No instance has said anything of late: its endpoints were healthy, and nothing was called.",
} as const;
