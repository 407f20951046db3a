// One planted fault for each guard that the operations and their stores rely on, with the smallest world in which it shows.

import type { Mutant } from "../../src/model/mutant.ts";
import { type Bounds, HOSTS, NOTHING_GOES_WRONG, REQUESTS, type Setting } from "../../src/model/setting.ts";
import {
  apart,
  atWorkAsExpired,
  byShortest,
  claimApart,
  nobodyAtWork,
  shortened,
  skippedAsOpen,
  skippedWithoutTrace,
  waitingAsRunning,
  waitingAsUntouched,
  withoutCompensationBeside,
  withoutNotice,
  withoutUnknown,
  withWaitsCounted,
} from "./distortions.ts";
import {
  CHAIN,
  FORK,
  FORK_LEFT,
  LATER,
  LATER_FORK,
  LONG_CHAIN,
  PAIR_LEFT,
  QUEUE,
  SPARE,
  UNEQUAL,
} from "./workflows.ts";

export interface Planted {
  readonly setting: Setting;
  /** Words of the fault. */
  readonly leadsTo: string;
}

interface World {
  readonly workflow?: Setting["workflow"];
  readonly bounds?: Partial<Bounds>;
  readonly hosts?: Setting["hosts"];
  readonly requests?: Setting["requests"];
  readonly known?: readonly string[];
  readonly withoutKeys?: Setting["withoutKeys"];
  readonly polled?: Setting["polled"];
}

function plant(name: string, leadsTo: string, mutant: Mutant, world: World = {}): Planted {
  const { workflow = CHAIN, bounds, hosts = ["east"], requests = [], known = [], withoutKeys, polled } = world;
  return {
    leadsTo,
    setting: {
      ...{ name, workflow, bounds: { ...NOTHING_GOES_WRONG, ...bounds }, hosts, requests, known, mutant },
      ...(withoutKeys && { withoutKeys }),
      ...(polled && { polled }),
    },
  };
}

/** What is wrong with the job itself comes later. */
const PUBLISHED_EARLY = ["told before Received"];
const NOT_PUBLISHED_AFTER_OUTAGE = ["never told StepCompleted", "never told Completed"];

export const PLANTED: readonly Planted[] = [
  plant(
    "an agent whose start is not recorded",
    "takes effect twice",
    { forgetsStart: true },
    { bounds: { deaths: 1 }, withoutKeys: "atMostOnce" },
  ),
  plant(
    "an agent whose start is not recorded, and that is asked twice at once",
    "takes effect twice",
    { forgetsStart: true },
    { bounds: { repeats: 1 }, withoutKeys: "find" },
  ),
  plant(
    "a start that is answered from a stale read",
    "the start of attempt 2 is dropped",
    { forgetsNewest: true },
    { bounds: { staleReads: 2, rejections: 1 } },
  ),
  plant(
    "a reply that is answered from a stale read",
    "what came of a is dropped",
    { forgetsNewest: true },
    { workflow: QUEUE, bounds: { staleReads: 2 } },
  ),
  plant(
    "a report that is answered from a stale read",
    "what came of a is dropped",
    { forgetsNewest: true },
    { workflow: LATER, bounds: { staleReads: 2 } },
  ),
  plant(
    "a request that is answered from a stale read",
    "the request for a is dropped",
    { forgetsNewest: true },
    { workflow: QUEUE, bounds: { staleReads: 2 }, withoutKeys: "atMostOnce" },
  ),
  plant(
    "an activity that ends after a stale read",
    "nobody has begun it",
    { forgetsNewest: true },
    { workflow: FORK, bounds: { staleReads: 2 }, withoutKeys: "atMostOnce" },
  ),
  plant(
    "a fence without the attempt",
    "which does not run it",
    { forgets: ["attempt", "run"] },
    { bounds: { stalls: 1 } },
  ),
  plant(
    "a fence without the process state",
    "an ended job changed",
    { forgets: ["processStates"] },
    { bounds: { stalls: 1, repeats: 1 } },
  ),
  plant(
    "a step's write without its running-guard",
    "which does not run it",
    { forgets: ["step"] },
    { workflow: LONG_CHAIN, bounds: { repeats: 1 } },
  ),
  plant("a join's write without its sibling-guard", "no step runs", { forgets: ["siblings"] }, { workflow: FORK }),
  plant("a store that ignores versions", "back to Pending", { ignoresVersion: "all" }, { hosts: HOSTS }),
  plant("a step and what is next in two writes", "no step runs", { splits: apart }),
  plant("a claim and its steps in two writes", "no step runs", { splits: claimApart }),
  plant(
    "an end without its outbox message",
    "never told Compensated",
    { replaces: withoutNotice },
    { bounds: { outages: 1, rejections: 1 }, known: NOT_PUBLISHED_AFTER_OUTAGE },
  ),
  plant("a supervisor without grace", "before its time", { timing: { clockSkewMs: 0 } }, { hosts: HOSTS }),
  plant("two hosts with one name", "both believe", { oneTaskHub: true }, { hosts: HOSTS, bounds: { repeats: 1 } }),
  plant("an agent that goes on past complete-by", "while attempt 2 holds", { ignoresCompleteBy: true }),
  plant(
    "a reply that is recorded however late",
    "after complete-by",
    { acceptsLateReplies: true },
    { workflow: QUEUE, bounds: { stalls: 1 } },
  ),
  plant("another key with each attempt", "has no effect", { keyOf: (key, attempt) => `${key}:${attempt}` }),
  plant(
    "the same key once it is compensated",
    "a key that is compensated",
    { keyOf: (key) => key.replace(/:\d+$/, "") },
    { bounds: { actions: 1 }, requests: [REQUESTS.resubmit] },
  ),
  plant(
    "a compensation that forgets unknown outcomes",
    "are left",
    { reads: withoutUnknown },
    { bounds: { lateness: 1 } },
  ),
  plant(
    "a supervisor that takes waiting for failure",
    "that no agent took up",
    { reads: waitingAsRunning },
    { bounds: { stalls: 1 } },
  ),
  plant(
    "a wait that counts as a failure of its step",
    "that no agent took up",
    { replaces: withWaitsCounted },
    { bounds: { stalls: 1 } },
  ),
  plant(
    "an agent that begins without asking",
    "while attempt 2 holds",
    { ignoresTakeUp: true },
    { workflow: QUEUE, bounds: { stalls: 1, repeats: 1 } },
  ),
  plant(
    "an operator who has a step run again that an agent is at work on",
    "while attempt 2 holds",
    { reads: nobodyAtWork },
    { workflow: FORK_LEFT, bounds: { actions: 1, rejections: 1 }, requests: [REQUESTS.resubmit] },
  ),
  plant(
    "a mark of taking up that cuts an extension short",
    "is cut short",
    { forgets: ["dueBy"] },
    { bounds: { actions: 1, lateness: 1 }, requests: [REQUESTS.extend] },
  ),
  plant(
    "a mark of taking up that cuts an extension short, over queues",
    "is cut short",
    { forgets: ["dueBy"] },
    { workflow: QUEUE, bounds: { actions: 1, lateness: 1 }, requests: [REQUESTS.extend] },
  ),
  plant(
    "a waiting job that is resubmitted though it was claimed meanwhile",
    "which is completed, runs again",
    { ignoresVersion: "operateJob" },
    { bounds: { actions: 1 }, requests: [REQUESTS.resubmit], known: PUBLISHED_EARLY },
  ),
  plant(
    "a waiting job that is compensated though it was claimed meanwhile",
    "which is completed, runs again",
    { ignoresVersion: "operateJob" },
    { bounds: { actions: 1 }, requests: [REQUESTS.compensation], known: PUBLISHED_EARLY },
  ),
  plant(
    "a waiting job that is cancelled though it was claimed meanwhile",
    "are left",
    { ignoresVersion: "operateJob" },
    { bounds: { actions: 1 }, requests: [REQUESTS.cancel], known: PUBLISHED_EARLY },
  ),
  plant(
    "a waiting job that is cancelled as if nothing had been done",
    "are left",
    { reads: waitingAsUntouched },
    { bounds: { actions: 1, lateness: 1 }, requests: [REQUESTS.cancel] },
  ),
  plant(
    "a claim that does not see what an operator recorded meanwhile",
    "something else than one expiry",
    { ignoresVersion: "takeStartAttempt" },
    { bounds: { actions: 1 }, requests: [REQUESTS.wasDone], withoutKeys: "atMostOnce" },
  ),
  plant(
    "an outcome that is recorded while an agent may be at work",
    "takes effect twice",
    { reads: nobodyAtWork },
    {
      workflow: PAIR_LEFT,
      bounds: { actions: 1, rejections: 1 },
      requests: [REQUESTS.wasDone],
      withoutKeys: "atMostOnce",
    },
  ),
  plant(
    "a step that is judged by the shortest beside it",
    "while it has time",
    { reads: byShortest },
    { workflow: UNEQUAL },
  ),
  plant(
    "a step's write that does not ask whose run it is",
    "which does not run it",
    { forgets: ["run"] },
    { bounds: { stalls: 1, lateness: 1 } },
  ),
  plant(
    "a claim that does not see what is completed meanwhile",
    "which is completed, runs again",
    { ignoresVersion: "takeStartAttempt" },
    { workflow: UNEQUAL },
  ),
  plant(
    "a step's end that does not see what is completed meanwhile",
    "which is completed, runs again",
    { ignoresVersion: "runStep" },
    { workflow: UNEQUAL },
  ),
  plant(
    "a step that is skipped as if it had no effect",
    "processed, with the effects of",
    { replaces: skippedWithoutTrace },
    { workflow: SPARE, bounds: { lateness: 1 } },
  ),
  plant(
    "a step's end that does not see what is compensated beside it",
    "who records b changes a",
    { reads: withoutCompensationBeside },
    { workflow: SPARE, bounds: { lateness: 1 } },
  ),
  plant(
    "a claim that begins a skipped step again",
    "runs again after it was skipped",
    { reads: skippedAsOpen },
    { workflow: SPARE, bounds: { lateness: 1 } },
  ),
  plant(
    "a compensation of a step that is at work",
    "calls the service for b while attempt",
    { reads: atWorkAsExpired },
    { workflow: UNEQUAL, bounds: { rejections: 1 } },
  ),
  plant(
    "a report that is recorded however late",
    "after complete-by",
    { acceptsLateReplies: true },
    { workflow: LATER, bounds: { lateness: 1 } },
  ),
  plant(
    "a report of somebody who was not asked",
    "is completed and has no effect",
    { ignoresNonce: true },
    { workflow: LATER, bounds: { forgeries: 1 } },
  ),
  plant(
    "an acceptance that does not see that it is done already",
    "which does not run it",
    { forgets: ["step"] },
    { workflow: LATER },
  ),
  plant(
    "the answer to a poll that does not see that it is recorded already",
    "which does not run it",
    { forgets: ["step"] },
    { workflow: LATER, bounds: { repeats: 1, stalls: 1 }, polled: ["a"] },
  ),
  plant(
    "a step that waits and is judged by the shortest beside it",
    "while it has time",
    { reads: byShortest },
    { workflow: LATER_FORK, bounds: { lateness: 1 } },
  ),
  plant(
    "word of a step that waits, and takes time away",
    "may wait is cut short",
    { replaces: shortened },
    { workflow: LATER, bounds: { progress: 1 } },
  ),
];

/**
 * The holder's name in the fence: an attempt's number is never given twice, and the claim, which asks for a Pending job, lets
 * one holder in for each. So the attempt and the process state guard what it guards; it is there for whoever reads the record.
 */
export const SPARED: readonly Setting[] = [
  plant("a fence without the holder", "", { forgets: ["lockedBy"] }, { hosts: HOSTS, bounds: { repeats: 1 } }).setting,
  plant(
    "a fence without the holder, over queues",
    "",
    { forgets: ["lockedBy"] },
    { workflow: QUEUE, bounds: { deaths: 1 } },
  ).setting,
];
