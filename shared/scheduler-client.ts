// Starts an attempt's orchestration, once however often it is asked.
import { replyEvent, type Wake } from "./domain/attempt.ts";
import { attemptId } from "./domain/state-record.ts";
import type { Orchestrations } from "./operations/orchestrations.ts";
import type { Heard } from "./operations/take-reply.ts";

/** The orchestrator's name, and what of the durable client this needs. */
export const SCHEDULER = "scheduler";

/** What has not ended: a suspended one is somebody's wish. */
const LIVE: ReadonlySet<string> = new Set(["Running", "Pending", "Suspended", "ContinuedAsNew"]);

export interface OrchestrationClient {
  startNew(orchestrator: string, options: { instanceId: string; input: unknown }): Promise<string>;
  getStatus(instanceId: string): Promise<{ readonly runtimeStatus: string }>;
  terminate(instanceId: string, reason: string): Promise<void>;
  raiseEvent(instanceId: string, eventName: string, eventData: unknown): Promise<void>;
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

/**
 * Hands a step's outcome to the attempt that waits for it; the engine keeps it where the attempt does not wait yet. False
 * where there is no such attempt any more. Throws where the engine can't be reached.
 */
export async function reportOutcome(client: OrchestrationClient, { ticket, outcome }: Heard): Promise<boolean> {
  const instanceId = attemptId(ticket.orderId, ticket.attempt);
  try {
    await client.raiseEvent(instanceId, replyEvent(ticket.step), outcome);
    return true;
  } catch (cause) {
    if (isUnknownInstance(cause)) return false;
    throw cause;
  }
}

/** The client says so in words only. */
function isUnknownInstance(cause: unknown): boolean {
  return cause instanceof Error && /^No instance with ID '/.test(cause.message);
}

interface SearchingClient<Status> extends OrchestrationClient {
  getStatusBy(filter: {
    createdTimeTo: Date;
    runtimeStatus: Status[];
  }): Promise<readonly { readonly name: string; readonly instanceId: string }[]>;
}

/**
 * The attempts in this host's task hub, for the reconciler.
 * @param live the library's own names for what has not ended
 */
export function orchestrationsOf<Status>(client: SearchingClient<Status>, live: Status[]): Orchestrations {
  return {
    async statusOf(id) {
      try {
        return isLive((await client.getStatus(id)).runtimeStatus) ? "running" : "ended";
      } catch (cause) {
        if (isUnknownStatus(cause)) return "gone";
        throw cause;
      }
    },
    async runningSince(before) {
      const found = await client.getStatusBy({ createdTimeTo: new Date(before), runtimeStatus: live });
      return found.flatMap(({ name, instanceId }) => (name === SCHEDULER ? [instanceId] : []));
    },
    start: (wake) => startAttempt(client, wake),
    terminate: (id, reason) => client.terminate(id, reason),
  };
}

interface PurgingClient<Status> {
  purgeInstanceHistoryBy(filter: {
    createdTimeFrom: Date;
    createdTimeTo: Date;
    runtimeStatus: Status[];
  }): Promise<{ readonly instancesDeleted: number }>;
}

/**
 * Removes what the engine keeps of the attempts in this host's task hub that began before the instant and have ended. Answers
 * how many there were. Throws where the engine can't be reached; done in part, the rest is removed the next time.
 * @param ended the library's own names for what has ended
 */
export async function removeEnded<Status>(
  client: PurgingClient<Status>,
  before: string,
  ended: Status[],
): Promise<number> {
  const [createdTimeFrom, createdTimeTo] = [new Date(0), new Date(before)];
  const removed = await client.purgeInstanceHistoryBy({ createdTimeFrom, createdTimeTo, runtimeStatus: ended });
  return removed.instancesDeleted;
}

async function isUnderWay(client: OrchestrationClient, instanceId: string): Promise<boolean> {
  try {
    return isLive((await client.getStatus(instanceId)).runtimeStatus);
  } catch {
    return false;
  }
}

function isUnknownStatus(cause: unknown): boolean {
  return cause instanceof Error && cause.message.includes("replied with HTTP 404");
}

function isLive(runtimeStatus: string): boolean {
  return LIVE.has(runtimeStatus);
}
