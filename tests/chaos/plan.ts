// What goes wrong when, made from a seed: the same seed makes the same plan.
import fc from "fast-check";
import type { ProcessName } from "../../local/stack/processes.ts";

export type Action =
  | { readonly kind: "kill"; readonly victim: ProcessName; readonly downMs: number }
  | { readonly kind: "freeze"; readonly victim: ProcessName; readonly forMs: number }
  | { readonly kind: "fault"; readonly service: Service; readonly fault: Readonly<Record<string, unknown>> }
  | { readonly kind: "operator"; readonly action: "resubmit" | "undo" | "cancel" | "extend"; readonly pick: number }
  | { readonly kind: "repeat"; readonly pick: number };

export type Service = "inventory" | "payment" | "fraud" | "shipping";

export interface Step {
  /** After the step before. */
  readonly afterMs: number;
  readonly action: Action;
}

const victim = fc.constantFrom<ProcessName>("host", "host2", "services", "remotes", "azurite");
const service = fc.constantFrom<Service>("inventory", "payment", "fraud", "shipping");
const forMs = fc.integer({ min: 500, max: 6000 });
const calls = fc.integer({ min: 1, max: 20 });

const fault = fc.oneof(
  fc.record({ kind: fc.constant("down"), forMs }),
  fc.record({ kind: fc.constant("slow"), delayMs: fc.integer({ min: 100, max: 4000 }), calls, forMs }),
  fc.record({ kind: fc.constant("loseReply"), calls, forMs }),
  fc.record({
    kind: fc.constant("refuse"),
    calls: fc.constantFrom(1, 2),
    forMs,
    message: fc.constant("chaos says no"),
  }),
  fc.record({ kind: fc.constant("down"), status: fc.constant(429), retryAfterS: fc.constant(1), calls, forMs }),
);

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("kill" as const), victim, downMs: fc.integer({ min: 0, max: 2000 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("freeze" as const), victim, forMs }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("fault" as const), service, fault }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("operator" as const),
      action: fc.constantFrom("resubmit" as const, "undo" as const, "cancel" as const, "extend" as const),
      pick: fc.nat(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("repeat" as const), pick: fc.nat() }) },
);

const step: fc.Arbitrary<Step> = fc.record({ afterMs: fc.integer({ min: 200, max: 3000 }), action });

export function planOf(seed: number, minutes: number): Step[] {
  const most = Math.ceil((minutes * 60_000) / 200);
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
      return `kills ${one.victim}, back after ${one.downMs} ms`;
    case "freeze":
      return `freezes ${one.victim} for ${one.forMs} ms`;
    case "fault":
      return `${one.service}: ${JSON.stringify(one.fault)}`;
    case "operator":
      return `an operator asks to ${one.action} an order`;
    case "repeat":
      return "a shop sends an order again";
    default:
      return one satisfies never;
  }
}
