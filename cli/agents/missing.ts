// What the agents need beside their declarations: a simulated service each, and a queue where a step reaches one by it. Each fault says where.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ServiceAgent } from "@scheduler-agent-supervisor/core/agents";
import { type Business, parseEndpoints, requestsQueueOf } from "@scheduler-agent-supervisor/core/app";
import { QUEUES_FILE, ROOT } from "../settings.ts";
import { AGENT_SETTING } from "./generated.ts";

/** A module that exports `services`: the definition of the local stack's own. */
export const REMOTES_FILE = "samples/remotes.ts";

export interface Available {
  /** The simulated services. */
  readonly services: readonly { readonly name: string; readonly port?: number }[];
  readonly queues: readonly { readonly name: string }[];
}

/** Of the app in whose folder the command runs. */
export async function readAvailable(): Promise<Available> {
  const { services } = (await import(pathToFileURL(join(ROOT, REMOTES_FILE)).href)) as Pick<Available, "services">;
  const { queues } = JSON.parse(readFileSync(QUEUES_FILE, "utf8")) as Pick<Available, "queues">;
  return { services, queues };
}

/** Each in words, with the file that lacks it; empty where every agent has what it needs. */
export function missingFor(
  { serviceAgents, agentsAskedByQueue }: Pick<Business, "serviceAgents" | "agentsAskedByQueue">,
  { services, queues }: Available,
): string[] {
  const names = queues.map(({ name }) => name);
  return [
    ...serviceAgents.flatMap((agent) => serviceFaults(agent, services)),
    ...[...agentsAskedByQueue]
      .filter((agent) => !names.includes(requestsQueueOf(agent)))
      .map(
        (agent) =>
          `agent ${agent}: a step reaches it over a queue, and infra/entities/service-bus.json has no ${requestsQueueOf(agent)}`,
      ),
  ];
}

function serviceFaults({ name, service }: ServiceAgent, services: Available["services"]): string[] {
  const { setting, local } = service;
  const faults: string[] = [];
  if (!AGENT_SETTING.test(setting)) faults.push(`agent ${name}: its setting ${setting} has to end in Endpoints`);
  const simulated = services.find((one) => one.name === name);
  if (!simulated) {
    faults.push(`agent ${name}: ${REMOTES_FILE} has no service ${name} that stands for its remote service`);
  } else if (simulated.port && !portsIn(local).includes(simulated.port)) {
    faults.push(
      `agent ${name}: ${REMOTES_FILE} has its service on port ${simulated.port}, and service.local is ${local}`,
    );
  }
  return faults;
}

function portsIn(local: string): number[] {
  return parseEndpoints(local).found.map(({ url }) => Number(new URL(url).port));
}

/** @throws one error that names all that is missing */
export async function throwIfMissing(business: Pick<Business, "serviceAgents" | "agentsAskedByQueue">): Promise<void> {
  const faults = missingFor(business, await readAvailable());
  if (faults.length > 0) throw new Error(`The agents' declarations are incomplete:\n  ${faults.join("\n  ")}`);
}
