// The words for agents and for what is paused.
import type { EndpointHealth, Pause } from "../api/contract.ts";
import { say } from "./say.ts";

export const HEALTHS: { readonly [health in EndpointHealth["health"]]: string } = {
  healthy: "Healthy",
  resting: "Resting: not called until the time that its service gave",
  broken: "Breaker open: it gets no calls",
  probeDue: "Breaker open: the next call is a probe",
  probing: "Breaker open: a probe is running",
};

const KINDS: { readonly [kind in Pause["kind"]]: string } = { workflow: "Workflow", agent: "Agent" };
const MEANINGS: { readonly [kind in Pause["kind"]]: string } = {
  get workflow() {
    return say`New {jobs} wait in their queue; no failure is counted. {Jobs} that have started continue.`;
  },
  get agent() {
    return say`Its steps are not started: their {jobs} wait, and no failure is counted. Running calls are completed.`;
  },
};

export const AGENTS = {
  title: "Agents",
  workflows: "Workflows",
  paused: (kind: Pause["kind"], name: string) => `${KINDS[kind]} ${name} is paused`,
  by: (by: string, reason: string) => `by ${by}: ${reason}`,
  since: "since",
  change: (change: "pause" | "resume", name: string) => `${change === "pause" ? "Pause" : "Resume"} ${name}`,
  confirm: (change: "pause" | "resume", name: string, environment: string) =>
    `${change === "pause" ? "Pause" : "Resume"} ${name} (${environment})`,
  meaning: (kind: Pause["kind"]) => MEANINGS[kind],
  /** @param name if no heading names it */
  running: (name: string | undefined) => (name === undefined ? "Takes new work" : `${name} takes new work`),
  well: (inFlight: number, capacity: number) => `Healthy, ${inFlight} of ${capacity} calls`,
  noCalls: "Healthy, no calls",
  openSince: "Since",
  endpoint: "Endpoint",
  instance: "Instance",
  health: "Health",
  load: "Load",
  loadOf: (inFlight: number, capacity: number) => `${inFlight} of ${capacity} calls`,
  slow: "slow",
  lastError: "Last error",
  said: "Said",
  endpoints: "Endpoints",
} as const;
