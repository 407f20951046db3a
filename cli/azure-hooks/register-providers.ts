// Before provisioning: registers the resource providers that the template needs. Resource Manager registers those of the resources
// in a template by itself, but not the one that a subnet is delegated to (Azure/bicep#16340).
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "../every-app/root.ts";
import type { ResourceManager } from "./resource-manager.ts";

const API = "api-version=2021-04-01";
const answer = z.object({ registrationState: z.string() });

export interface Pace {
  readonly pollMs: number;
  readonly timeoutMs: number;
}

const USUAL: Pace = { pollMs: 5000, timeoutMs: 600_000 };

/** By namespace, from infra/providers.json. */
export function providersNeeded(): readonly string[] {
  return JSON.parse(readFileSync(join(ROOT, "infra/providers.json"), "utf8")) as string[];
}

/** @returns those that were not registered and are now. @throws what to do where that may not be, or takes too long. */
export async function registerProviders(
  manager: ResourceManager,
  subscriptionId: string,
  namespaces: readonly string[],
  pace: Pace = USUAL,
): Promise<string[]> {
  const path = (namespace: string) => `/subscriptions/${subscriptionId}/providers/${namespace}`;
  async function stateOf(namespace: string): Promise<string> {
    const { status, body } = await manager.get(`${path(namespace)}?${API}`);
    const read = answer.safeParse(body);
    if (status === 200 && read.success) return read.data.registrationState;
    throw new Error(`Azure did not return whether ${namespace} is registered: ${status} ${JSON.stringify(body)}`);
  }
  const missing: string[] = [];
  for (const namespace of namespaces) if ((await stateOf(namespace)) !== "Registered") missing.push(namespace);
  const rejected: string[] = [];
  for (const namespace of missing) {
    const { status } = await manager.post(`${path(namespace)}/register?${API}`);
    if (status >= 300) rejected.push(namespace);
  }
  if (rejected.length > 0) {
    const commands = rejected.map((namespace) => `az provider register --wait --namespace ${namespace}`);
    throw new Error(
      `These resource providers are not registered, and who deploys may not register them. An owner of the subscription has to:\n  ${commands.join("\n  ")}`,
    );
  }
  const endAt = Date.now() + pace.timeoutMs;
  for (const namespace of missing) {
    while ((await stateOf(namespace)) !== "Registered") {
      if (Date.now() > endAt) throw new Error(`${namespace} is still not registered. Run the command again later.`);
      await new Promise((resolve) => setTimeout(resolve, pace.pollMs));
    }
  }
  return missing;
}
