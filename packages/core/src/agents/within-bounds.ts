// The times of one call to an agent (P8, P26): first it waits for a place, then it is taken up, and from then on complete-by limits it.
import type { ExponentialBackoff, IBackoff } from "cockatiel";
import { startTimer } from "../domain/timer.ts";
import type { BoundedReply, Bounds, Fault, Start } from "./agent.ts";
import { Deadline, type WallClock } from "./deadline.ts";
import type { EndpointPool, Lease } from "./endpoint-pool.ts";

/** A call that takes longer than this, or half of its time, reports that it is in progress. */
const SAY_AFTER_MS = 2000;
/** A call that is not done at this time before complete-by, or in the last tenth of its time, says what is known of it. */
const NEAR_MS = 1000;
const NEAR_SHARE = 0.1;

export interface TakenUp extends Start {
  readonly deadline: Deadline;
  /** Undefined if every endpoint is down: the call then uses its own time to wait for one. */
  readonly place: Lease | undefined;
  /** Kept up to date by the work: what is known of it while it is not done. */
  readonly progress: { fault?: Fault };
}

interface Waiting {
  readonly pool: EndpointPool;
  readonly pauses: ExponentialBackoff<number>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Waits for a place, takes the call up and does the work; ends at complete-by, and reports in time that it is in progress, and what is known of it if
 * it is not done. After complete-by it says nothing (P8).
 * @param tooLate the answer if complete-by has passed when it is taken up
 */
export async function withinBounds(
  bounds: Bounds,
  waiting: Waiting,
  work: (taken: TakenUp) => Promise<BoundedReply>,
  tooLate: BoundedReply,
): Promise<BoundedReply> {
  const { pool, now } = waiting;
  const place = await firstPlace(bounds, waiting);
  if (place === "none in time") return { kind: "notTakenUp" };
  const start = await takeUp(bounds, place, pool);
  if (start === undefined) return { kind: "notTakenUp" };
  const { completeBy } = start;
  const leftMs = Date.parse(completeBy) - now();
  if (Number.isNaN(leftMs)) throw new Error(`complete-by ${completeBy} is no instant`);
  if (leftMs <= 0) {
    if (place) pool.release(place, "unclear", "complete-by had passed");
    return tooLate;
  }
  return bounded(leftMs, now, bounds, (deadline, progress) => work({ ...start, deadline, place, progress }));
}

/** The wait for capacity is not a failure of the call; undefined if every endpoint is down, which may become one. */
async function firstPlace(
  { startBy, priority }: Bounds,
  { pool, pauses, now }: Waiting,
): Promise<Lease | undefined | "none in time"> {
  const lease = pool.take(priority);
  if (lease || pool.isDown()) return lease;
  const leftMs = Date.parse(startBy) - now();
  if (Number.isNaN(leftMs)) throw new Error(`start-by ${startBy} is no instant`);
  if (leftMs <= 0) return "none in time";
  const patience = new Deadline(leftMs, now);
  let pause: IBackoff<unknown> | undefined;
  try {
    while (!patience.passed) {
      const place = await patience.within<Lease | "down" | "full">((settle) => {
        const leave = pool.wait(priority, undefined, settle, () => settle("down"));
        if (!leave) settle("full");
        return leave ?? (() => undefined);
      });
      if (place === "down") return undefined;
      if (place !== undefined && place !== "full") return place;
      // In a full lane, a repeated call at a random time is bounded, and takes no other call's place.
      pause = pause ? pause.next(undefined) : pauses.next();
      await patience.pause(pause.duration);
    }
    return "none in time";
  } finally {
    patience.end();
  }
}

async function takeUp(bounds: Bounds, place: Lease | undefined, pool: EndpointPool): Promise<Start | undefined> {
  let start: Start | undefined;
  try {
    start = await bounds.takeUp();
    return start;
  } finally {
    if (start === undefined && place) pool.release(place, "unclear", "the step was not taken up");
  }
}

async function bounded(
  leftMs: number,
  now: WallClock,
  bounds: Bounds,
  work: (deadline: Deadline, progress: TakenUp["progress"]) => Promise<BoundedReply>,
): Promise<BoundedReply> {
  let said: Promise<void> | undefined;
  const deadline = new Deadline(leftMs, now);
  const stillAtWork = async () => {
    if (!deadline.passed) said ??= bounds.stillAtWork();
    await said;
  };
  const progress: TakenUp["progress"] = {};
  let noted: Promise<void> | undefined;
  const noteFault = async () => {
    await stillAtWork();
    if (progress.fault && !deadline.passed) await bounds.noteFault?.(progress.fault);
  };
  const timer = startTimer(Math.min(SAY_AFTER_MS, leftMs / 2), () => void stillAtWork());
  const near = startTimer(leftMs - Math.min(NEAR_MS, leftMs * NEAR_SHARE), () => {
    noted = noteFault();
  });
  try {
    const reply = await work(deadline, progress);
    // The counter of failures needs to know that this was one.
    if (reply.kind === "expired") await stillAtWork();
    return reply;
  } finally {
    timer.end();
    near.end();
    deadline.end();
    await said;
    await noted;
  }
}
