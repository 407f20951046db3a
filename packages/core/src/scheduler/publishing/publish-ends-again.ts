// After the loss of the durable engine (P15, P16): the last status of a Processed job is sent after its write, and only the engine would run that
// activity again. Every other status is owed by the record.

import { instant } from "../../domain/duration.ts";
import { attemptId, type StateRecord } from "../../domain/record/state-record.ts";
import type { Restoring } from "../ports.ts";
import { concludedAgain } from "./publish.ts";

/** More than the bounded tries of a send. What can't be sent is then left in the record. */
const SENDING_MS = 5 * 60_000;
/** The search ends so long after the claim: an attempt that waited for days says little about the time of the loss. */
const SEARCHED_MS = 60 * 60_000;
/** The store's clock is ahead of the app's by less than this. */
const CLOCKS_APART_MS = 60_000;
/** The number of jobs whose messages are sent at the same time. */
const TOGETHER = 100;

/** An attempt that began although its engine does not know the attempt before. */
interface Begun {
  readonly jobId: string;
  readonly attempt: number;
}

/**
 * What one process does when the engine does not know an attempt that was claimed: the engine was lost later than the claim, by deletion or by a
 * move to another one. The statuses of the jobs that ended about that time are sent again, under the same message ids. Each loss is dealt with
 * once. Throws if store or bus are unavailable: the message that began the attempt is then delivered again.
 */
export function createLossHandler(): (begun: Begun, context: Restoring) => Promise<void> {
  const searchedTo = new Map<string, number>();
  let last: Promise<void> = Promise.resolve();
  return (begun, context) => {
    // One after the other: most of the attempts of one loss have then nothing left to do.
    last = last.catch(() => undefined).then(() => handle(begun, searchedTo, context));
    return last;
  };
}

async function handle({ jobId, attempt }: Begun, searchedTo: Map<string, number>, context: Restoring): Promise<void> {
  const stored = await context.store.state(jobId);
  const claim = stored && claimOf(stored.record, attempt - 1);
  // It was never claimed, for example because an operator acted before: no engine knew it.
  if (!claim) return;
  const { hub, at } = claim;
  const known = searchedTo.get(hub);
  // Another hub may be another region's, which still works: that is not known here, and the search is made only once.
  if (known !== undefined && (hub !== context.taskHub || at <= known)) return;
  const to = Math.min(at + SEARCHED_MS, context.now());
  const jobs = await publishEnded(instant(at - SENDING_MS), instant(to + CLOCKS_APART_MS), context);
  await context.presence.engineLost();
  searchedTo.set(hub, to);
  context.telemetry.event("EngineLost", { hub, since: instant(at), jobs });
}

/** The claim's time, and the hub of the engine that the attempt was started in. */
function claimOf({ jobId, history }: StateRecord, attempt: number): { at: number; hub: string } | undefined {
  const holder = `${attemptId(jobId, attempt)}@`;
  const claim = history.findLast(({ by }) => by.startsWith(holder));
  return claim && { at: Date.parse(claim.at), hub: claim.by.slice(holder.length) };
}

/** Returns the number of the jobs. */
async function publishEnded(from: string, to: string, context: Restoring): Promise<number> {
  let jobs = 0;
  const read: StateRecord[] = [];
  const publishRead = async () => {
    jobs += read.length;
    await Promise.all(read.splice(0).map((record) => concludedAgain(record, context)));
  };
  for await (const { record } of context.store.processed(from, to)) {
    read.push(record);
    if (read.length === TOGETHER) await publishRead();
  }
  await publishRead();
  return jobs;
}
