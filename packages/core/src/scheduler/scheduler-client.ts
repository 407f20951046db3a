// Starts an attempt's orchestration, once however often it is asked.

import { z } from "zod";
import { Outage } from "../domain/outage.ts";
import { completionsOf } from "../domain/record/outbox.ts";
import { attemptId } from "../domain/record/state-record.ts";
import {
  type Attempt,
  type ClaimOutcome,
  type Look,
  lookOf,
  outcomeReadBy,
  PROGRESS,
  type StartAttempt,
  type StepEnd,
  type StepOutcome,
} from "../domain/steps/attempt.ts";
import { inWords } from "../domain/thrown.ts";
import { ofKnownVersion } from "../messaging/agent-messages.ts";
import { handedOut } from "./admission/agent-presence.ts";
import type { Recording } from "./ports.ts";
import { publishOrKeep } from "./publishing/publish.ts";

/** The orchestrator's name, and what of the durable client this needs. */
export const SCHEDULER = "scheduler";

/** What has not ended: a suspended one is somebody's wish. */
const LIVE: ReadonlySet<string> = new Set(["Running", "Pending", "Suspended", "ContinuedAsNew"]);

export interface OrchestrationClient {
  startNew(orchestrator: string, options: { instanceId: string; input: unknown }): Promise<string>;
  getStatus(instanceId: string): Promise<{ readonly runtimeStatus: string }>;
  raiseEvent(instanceId: string, eventName: string, eventData: unknown): Promise<void>;
}

export class EngineUnavailable extends Outage {
  override readonly name = "EngineUnavailable";
}

export type Claimed = Extract<ClaimOutcome, { kind: "claimed" }>;

/**
 * Starts the attempt that was claimed. Order of effects: the start; where others may have written the record meanwhile, a look at it, and the event that says
 * what stands there: who writes later finds the attempt under way. After a death in between the message that asked for the attempt is
 * delivered again. Throws `EngineUnavailable` where the engine can't be reached.
 * False where the engine does not know the attempt before.
 */
export function startClaimed(
  client: OrchestrationClient,
  { attempt, isBehind }: Claimed,
  context: Recording,
): Promise<boolean> {
  return handedOut(context.presence, async () => {
    const isKnown = await startAttempt(client, attempt);
    if (isBehind) await report(client, attempt.jobId, attempt.attempt, await readProgress(lookOf(attempt), context));
    return isKnown;
  });
}

/**
 * A start with the id of a running attempt is rejected by the engine, and is what we want; with the id of an ended one it runs
 * again where the record stands, and finds what was done. The attempt before, which may still wait for steps, is notified to end. Throws `EngineUnavailable` where it is not under way afterwards.
 */
async function startAttempt(client: OrchestrationClient, input: Attempt): Promise<boolean> {
  const { jobId, attempt } = input;
  await startOnce(client, SCHEDULER, attemptId(jobId, attempt), input);
  return attempt === 1 || report(client, jobId, attempt - 1, { kind: "superseded", by: attempt });
}

/** Starts any orchestration, once however often it is asked. */
export async function startOnce(
  client: OrchestrationClient,
  orchestrator: string,
  instanceId: string,
  input: unknown,
): Promise<void> {
  try {
    await client.startNew(orchestrator, { instanceId, input });
  } catch (cause) {
    // The client's error does not say why: the instance's status does.
    if (await isUnderWay(client, instanceId)) return;
    throw new EngineUnavailable(`Could not start ${orchestrator} ${instanceId}: ${inWords(cause)}`, { cause });
  }
}

/**
 * Hands what came of a step to the attempt that has to be notified of it, if there is one; the engine keeps it where the attempt does not wait
 * yet. False where there is no such attempt any more. Throws `EngineUnavailable` where the engine can't be reached.
 */
export async function reportEnd(client: OrchestrationClient, jobId: string, end: StepEnd): Promise<boolean> {
  return end.receiver === null || report(client, jobId, end.receiver, end.outcome);
}

async function report(
  client: OrchestrationClient,
  jobId: string,
  attempt: number,
  outcome: StepOutcome,
): Promise<boolean> {
  const instanceId = attemptId(jobId, attempt);
  try {
    await client.raiseEvent(instanceId, PROGRESS, outcome);
    return true;
  } catch (cause) {
    if (isUnknownInstance(cause)) return false;
    throw new EngineUnavailable(`Could not report to attempt ${instanceId}: ${inWords(cause)}`, { cause });
  }
}

/** The client says so in words only. */
function isUnknownInstance(cause: unknown): boolean {
  return cause instanceof Error && /^No instance with ID '/.test(cause.message);
}

interface PurgingClient<Status> {
  purgeInstanceHistoryBy(filter: {
    createdTimeFrom: Date;
    createdTimeTo: Date;
    runtimeStatus: Status[];
  }): Promise<{ readonly instancesDeleted: number }>;
}

/**
 * Removes what the engine keeps of the attempts in this host's task hub that began in that time and have ended. Answers
 * how many there were. Throws where the engine can't be reached; done in part, the rest is removed the next time.
 * @param ended the library's own names for what has ended
 */
export async function removeEnded<Status>(
  client: PurgingClient<Status>,
  createdTimeFrom: Date,
  createdTimeTo: Date,
  ended: Status[],
): Promise<number> {
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

function isLive(runtimeStatus: string): boolean {
  return LIVE.has(runtimeStatus);
}

/**
 * A look at the record, for an attempt that has received nothing for too long, or that others may have overtaken (P4, P15). The state of the record,
 * for the attempt. The process that recorded the end of one of those steps may have crashed before it published that: it is published before the
 * attempt begins the next step, under the same id. Throws if the store is unavailable: the next look is the retry.
 */
export async function readProgress({ jobId, lockedBy, waitsFor }: Look, context: Recording): Promise<StepOutcome> {
  let stored = await context.store.state(jobId);
  // An attempt that is superseded ends.
  if (stored?.record.lockedBy !== lockedBy) stored = await context.store.latest(jobId);
  const outcome = outcomeReadBy({ lockedBy }, stored?.record);
  if (!stored || outcome.kind !== "completed") return outcome;
  const found = completionsOf(stored.record).filter(({ step = "" }) => waitsFor.includes(step));
  if (found.length > 0) await publishOrKeep(stored, found, context);
  return outcome;
}

/** The contract of a message on the scheduler's own queue. Unknown members are ignored. */
const startAttemptSchema = z.object({
  jobId: z.string(),
  attempt: z.int().min(1),
  direction: z.enum(["forward", "compensate"]),
  traceparent: z.string().nullable().optional(),
}) satisfies z.ZodType<StartAttempt>;

/** Throws if the message is not a start message: only this app sends to that queue, so that is a bug, and the dead-letter queue keeps it. */
export function parseStartAttempt(body: unknown): StartAttempt {
  return startAttemptSchema.parse(ofKnownVersion(body, "This start message"));
}
