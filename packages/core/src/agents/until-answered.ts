// Tries an operation until it is answered (P6, P8): with routing and pauses, by its policy, and never after complete-by.
import type { ExponentialBackoff, IBackoff } from "cockatiel";
import type { Priority } from "../domain/content/job.ts";
import { cutOffAfter } from "../domain/thrown.ts";
import type { AgentCall, AgentRequest, BoundedReply, Find, Finding, LastError, Poll } from "./agent.ts";
import type { Authenticate } from "./authentication.ts";
import { bounded } from "./bounds.ts";
import type { Deadline } from "./deadline.ts";
import type { EndpointPool, Lease } from "./endpoint-pool.ts";
import { lastErrorOf, type Trial, tryOnce } from "./one-try.ts";
import type { TakenUp } from "./within-bounds.ts";

/** An operation's policy, with every member set. */
export interface Manner {
  readonly tryTimeoutMs: number;
  readonly tries: number;
  readonly pauses: ExponentialBackoff<number>;
  readonly atMostOnce: boolean;
  readonly find: Find | undefined;
  readonly poll: Poll | undefined;
}

/** The agent's service, with its endpoints. */
export interface RoutedService {
  readonly pool: EndpointPool;
  /** By URL; an endpoint that is not included needs no credential. */
  readonly authenticate: ReadonlyMap<string, Authenticate>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onMisconfigured: (operation: string, error: LastError) => void;
}

export interface Work {
  readonly operation: string;
  /** The operation; `tries` is 1 for the first. */
  readonly run: (call: AgentCall, tries: number) => Promise<Finding>;
  /** The query for its effect. */
  readonly ask: (call: AgentCall) => Promise<Finding>;
  readonly manner: Manner;
  readonly request: AgentRequest;
  readonly completeBy: string;
  /** Another run of the task took it up before, and may send tries until then. */
  readonly triedUntil: string | undefined;
  readonly priority: Priority;
  /** The endpoint of the first try; undefined if it must wait for a place. */
  readonly place: Lease | undefined;
  readonly progress: TakenUp["progress"];
}

/**
 * A service may still be working on a request when it is queried for its effect: `absent` counts only once no aborted try can take effect any
 * more.
 */
export async function untilAnswered(work: Work, deadline: Deadline, service: RoutedService): Promise<BoundedReply> {
  const { operation, manner, request, priority } = work;
  const { find, atMostOnce } = manner;
  const { pool, now, onMisconfigured } = service;
  const settled = (givenUpAt: number) => givenUpAt + (find?.settlesWithinMs ?? 0);
  let outcomeUnknown = request.mayHaveHappened === true || work.triedUntil !== undefined;
  const triedUntil = Date.parse(work.triedUntil ?? request.triedUntil ?? "");
  let settledAt = settled(Number.isNaN(triedUntil) ? now() : triedUntil);
  let lastError: LastError | undefined;
  let pause: IBackoff<unknown> | undefined;
  /** The pause that the service requested for this job alone. */
  let askedMs = 0;
  let { place } = work;
  for (let tries = 0; ; ) {
    if (outcomeUnknown && atMostOnce) {
      if (place) pool.release(place, "unclear", "it may not be done twice");
      // It may have its answer yet: if it has none, the next attempt says so.
      if (tries === 0 && triedUntil > now()) return expired(tries, atWork(pool), outcomeUnknown);
      return notAgain(lastError, pool);
    }
    const asks = outcomeUnknown && find !== undefined;
    if (!asks && tries >= manner.tries) return expired(tries, lastError ?? pool.obstacle(), outcomeUnknown);
    work.progress.fault = { tries, lastError: lastError ?? pool.obstacle() };
    const lease = place ?? (await placeAt(pool, priority, lastError?.endpoint, deadline));
    place = undefined;
    if (lease) {
      if (!asks) tries += 1;
      work.progress.fault = { tries, lastError: cutOff(lease.url, lastError) };
      const reply = await tryOnce(trialOf(work, asks ? undefined : tries, lease, service), lease, deadline, pool);
      const { url: endpoint, because } = lease;
      switch (reply.kind) {
        case "done":
        case "accepted":
          return { ...reply, endpoint, because };
        case "pending":
          if (!manner.poll)
            return { kind: "rejected", message: noPoll(operation), endpoint, because, outcomeUnknown: true };
          return { ...reply, endpoint, because };
        case "rejected":
          return { ...reply, endpoint, because, ...(outcomeUnknown && !asks && { outcomeUnknown }) };
        case "absent":
          if (lease.startedAt < settledAt) break;
          outcomeUnknown = false;
          continue;
        case "unavailable":
          lastError = lastErrorOf(reply, lease);
          askedMs = reply.about === undefined || reply.about === "endpoint" ? 0 : (reply.retryAfterMs ?? 0);
          if (reply.misconfigured) onMisconfigured(operation, lastError);
          if (asks || !reply.mayHaveHappened) break;
          outcomeUnknown = true;
          settledAt = settled(now());
          break;
        case "cutOff":
          return expired(tries, cutOff(endpoint, lastError), outcomeUnknown || (!asks && reply.mayHaveHappened));
        default:
          reply satisfies never;
      }
    }
    work.progress.fault = { tries, lastError: lastError ?? pool.obstacle() };
    // Also without a place in a full lane: a repeated call at a random time is bounded, and takes no other call's place.
    pause = pause ? pause.next(undefined) : manner.pauses.next();
    await deadline.pause(Math.max(pause.duration, askedMs));
    if (deadline.passed) return expired(tries, lastError ?? pool.obstacle(), outcomeUnknown);
  }
}

function trialOf(
  { run, ask, manner, request, completeBy }: Work,
  tries: number | undefined,
  { url }: Lease,
  { authenticate }: RoutedService,
): Trial {
  return {
    run: tries === undefined ? ask : (call) => run(call, tries),
    request,
    completeBy,
    timeoutMs: manner.tryTimeoutMs,
    authenticate: authenticate.get(url),
  };
}

/** Undefined when the lane is full or the deadline has passed. */
async function placeAt(
  pool: EndpointPool,
  priority: Priority,
  failed: string | undefined,
  deadline: Deadline,
): Promise<Lease | undefined> {
  const lease = pool.take(priority, failed);
  if (lease) return lease;
  return deadline.within<Lease | undefined>((settle) => {
    const leave = pool.wait(priority, failed, settle);
    if (!leave) settle(undefined);
    return leave ?? (() => undefined);
  });
}

/** The later effect of its service is unknown: a compensation handles it. */
function noPoll(operation: string): string {
  return `the operation ${operation} answered that its service is to be asked again later, and its policy has no poll`;
}

function expired(tries: number, lastError: LastError, outcomeUnknown: boolean): BoundedReply {
  return { kind: "expired", tries, lastError, ...(outcomeUnknown && { outcomeUnknown }) };
}

function cutOff(endpoint: string, before: LastError | undefined): LastError {
  return { ...before, endpoint, message: bounded(cutOffAfter(before?.message)) };
}

function atWork(pool: EndpointPool): LastError {
  const message = "an earlier run of this attempt took it up, and may still be at work (at most once)";
  return { endpoint: pool.obstacle().endpoint, message };
}

/** It may have been done, and must not be done twice: a person, or the step's compensation, handles it. */
function notAgain(lastError: LastError | undefined, pool: EndpointPool): BoundedReply {
  const { endpoint } = lastError ?? pool.obstacle();
  const cause = lastError?.message ?? "an earlier attempt was not answered";
  const message = bounded(`not tried again, for it may have been done (at most once): ${cause}`);
  return { kind: "rejected", message, endpoint, because: "at most once", outcomeUnknown: true };
}
