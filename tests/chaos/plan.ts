// What goes wrong when, made from a seed: the same seed makes the same plan.

import type { InstanceCounts, InstanceName, ProcessName, Topology } from "@scheduler-agent-supervisor/local";
import type { ServiceFault } from "@scheduler-agent-supervisor/testing";
import fc from "fast-check";
import { FRAUD_QUEUE } from "../support/fraud-worker.ts";

/** A process of the stack, or one of a host's own. */
export type Victim = ProcessName | InstanceName;

export type Action =
  | { readonly kind: "kill"; readonly victim: Victim; readonly downMs: number }
  | { readonly kind: "freeze"; readonly victim: Victim; readonly forMs: number }
  /** As at a scale-in: it ends what it has begun. */
  | { readonly kind: "recycle"; readonly victim: InstanceName }
  | { readonly kind: "fault"; readonly service: Service; readonly fault: ServiceFault }
  | {
      readonly kind: "operator";
      readonly action: "resubmit" | "compensate" | "cancel" | "extend";
      readonly pick: number;
    }
  | { readonly kind: "repeat"; readonly pick: number };

type Service = "inventory" | "payment" | "fraud" | "shipping";

export interface Step {
  /** After the step before. */
  readonly afterMs: number;
  readonly action: Action;
}

/** How many processes the groups have in the flex topology. */
export const INSTANCE_COUNTS: InstanceCounts = { submission: 2, durable: 2, http: 2 };

const INSTANCES = [
  ...["durable", "durable.2", "http", "http.2", "submission", "submission.2", "submissionPriority"],
  ...["startAttempt", "fraudQueueAgent", "agentReplies", "supervisor", "housekeeping", "gauges"],
].map((name): InstanceName => `host/${name}`);

const SERVERS = ["services", "remotes", "azurite"] as const;
const service = fc.constantFrom<Service>("inventory", "payment", "fraud", "shipping");
const forMs = fc.integer({ min: 500, max: 6000 });
const calls = fc.integer({ min: 1, max: 20 });

const fault: fc.Arbitrary<ServiceFault> = fc.oneof(
  fc.record({ kind: fc.constant("down"), forMs }),
  fc.record({ kind: fc.constant("slow"), delayMs: fc.integer({ min: 100, max: 4000 }), calls, forMs }),
  fc.record({ kind: fc.constant("loseReply"), calls, forMs }),
  fc.record({
    kind: fc.constant("reject"),
    calls: fc.constantFrom(1, 2),
    forMs,
    message: fc.constant("chaos says no"),
  }),
  fc.record({ kind: fc.constant("down"), status: fc.constant(429), retryAfterS: fc.constant(1), calls, forMs }),
);

/** What befalls the fraud agent's worker, where it takes the requests. */
const atQueue: fc.Arbitrary<ServiceFault> = fc.oneof(
  fc.record({ kind: fc.constant("down"), path: fc.constant(FRAUD_QUEUE), forMs }),
  fc.record({ kind: fc.constant("hang"), path: fc.constant(FRAUD_QUEUE), calls: fc.constantFrom(1, 2), forMs }),
  fc.record({ kind: fc.constant("double"), calls, forMs }),
  fc.record({
    kind: fc.constant("slow"),
    path: fc.constant(FRAUD_QUEUE),
    delayMs: fc.integer({ min: 100, max: 4000 }),
    calls,
    forMs,
  }),
);

/** Of the same seed always the same: what one topology has more must not change the other's. */
function actions(topology: Topology, hasWorker: boolean): fc.Arbitrary<Action> {
  const isFlex = topology === "flex";
  const victim = isFlex
    ? fc.oneof(fc.constantFrom<Victim>(...INSTANCES), fc.constantFrom<Victim>("host", ...SERVERS))
    : fc.constantFrom<Victim>("host", "host2", ...SERVERS);
  const kill = fc.record({ kind: fc.constant("kill" as const), victim, downMs: fc.integer({ min: 0, max: 2000 }) });
  const recycle = fc.record({ kind: fc.constant("recycle" as const), victim: fc.constantFrom(...INSTANCES) });
  return fc.oneof(
    { weight: 3, arbitrary: kill },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("freeze" as const), victim, forMs }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant("fault" as const), service, fault }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("operator" as const),
        action: fc.constantFrom("resubmit" as const, "compensate" as const, "cancel" as const, "extend" as const),
        pick: fc.nat(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("repeat" as const), pick: fc.nat() }) },
    ...(isFlex ? [{ weight: 2, arbitrary: recycle }] : []),
    ...(hasWorker
      ? [
          {
            weight: 2,
            arbitrary: fc.record({
              kind: fc.constant("fault" as const),
              service: fc.constant("fraud" as const),
              fault: atQueue,
            }),
          },
        ]
      : []),
  );
}

/** @param hasWorker a simulated worker takes the fraud agent's requests from their queue */
export function planOf(seed: number, minutes: number, topology: Topology, hasWorker: boolean): Step[] {
  const most = Math.ceil((minutes * 60_000) / 200);
  const step = fc.record({ afterMs: fc.integer({ min: 200, max: 3000 }), action: actions(topology, hasWorker) });
  const steps = fc.sample(step, { seed, numRuns: most });
  let endMs = 0;
  return steps.filter(({ afterMs }) => {
    endMs += afterMs;
    return endMs < minutes * 60_000;
  });
}

export function inWords(one: Action): string {
  switch (one.kind) {
    case "kill":
      return one.victim.includes("/") ? `kills ${one.victim}` : `kills ${one.victim}, back after ${one.downMs} ms`;
    case "recycle":
      return `asks ${one.victim} to go, and another comes`;
    case "freeze":
      return `freezes ${one.victim} for ${one.forMs} ms`;
    case "fault":
      return `${one.service}: ${JSON.stringify(one.fault)}`;
    case "operator":
      return `an operator asks to ${one.action} an order`;
    case "repeat":
      return "a client sends an order again";
    default:
      return one satisfies never;
  }
}
