// Starts an attempt's orchestration, once however often it is asked.
import type { Wake } from "./domain/attempt.ts";
import { attemptId } from "./domain/state-record.ts";

/** The orchestrator's name, and what of the durable client this needs. */
export const SCHEDULER = "scheduler";

export interface OrchestrationClient {
  startNew(orchestrator: string, options: { instanceId: string; input: unknown }): Promise<string>;
  getStatus(instanceId: string): Promise<{ readonly runtimeStatus: string }>;
}

/**
 * A start with the id of a running attempt is refused by the engine, and is what we want; with the id of an ended one it
 * runs again, and the claim is refused. Throws where the engine can't be reached.
 */
export async function startAttempt(client: OrchestrationClient, wake: Wake): Promise<void> {
  const instanceId = attemptId(wake.orderId, wake.attempt);
  try {
    await client.startNew(SCHEDULER, { instanceId, input: wake });
  } catch (cause) {
    // The client's error does not say why: the attempt's status does.
    if (!(await isUnderWay(client, instanceId))) throw new Error(`Could not start attempt ${instanceId}`, { cause });
  }
}

async function isUnderWay(client: OrchestrationClient, instanceId: string): Promise<boolean> {
  try {
    const { runtimeStatus } = await client.getStatus(instanceId);
    return runtimeStatus === "Running" || runtimeStatus === "Pending";
  } catch {
    return false;
  }
}
