// The workflows that these suites run: the graph of order fulfilment with other times and policies.
import type { RecoveryPolicy, Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { GRAPH } from "../support/orders.ts";

/** No restart of a host takes so long, so only what is meant to expires. */
const AMPLE = "PT30S";
const SHORT = "PT1.5S";
const forEver: RecoveryPolicy = { failureThreshold: 100, waits: [], onExhausted: "fail", onRejected: "compensate" };

function variant(name: string, shippingWithin: string, policy: Partial<RecoveryPolicy> = {}): Workflow {
  return {
    name,
    version: 2,
    policy: forEver,
    steps: GRAPH.steps.map(({ policy: own, compensation, ...step }) => ({
      ...step,
      completeWithin: step.name === "arrangeShipping" ? shippingWithin : AMPLE,
      compensation: typeof compensation === "string" ? compensation : { ...compensation, completeWithin: AMPLE },
      ...(step.name === "arrangeShipping" && { policy }),
      // An order that is rejected at its first step has nothing to compensate.
      ...(["reserveStock", "takePayment"].includes(step.name) && { policy: { onRejected: "fail" as const } }),
    })),
  };
}

/** The payment with another time and policy: the check beside it has all of its own. */
function uneven(name: string, within: string, policy: Partial<RecoveryPolicy>): Workflow {
  const whole = variant(name, AMPLE);
  const steps = whole.steps.map((step) =>
    step.name === "takePayment" ? { ...step, completeWithin: within, policy } : step,
  );
  return { ...whole, steps };
}

/** The shipping is done later, where its service says so. */
function later(name: string): Workflow {
  const whole = variant(name, AMPLE);
  const steps = whole.steps.map((step) =>
    step.name === "arrangeShipping" ? { ...step, awaitWithin: "PT2M" as const } : step,
  );
  return { ...whole, steps };
}

/** Where nobody delivers, whoever ordered collects. */
function spare(name: string, shippingWithin: string = AMPLE, policy: Partial<RecoveryPolicy> = {}): Workflow {
  const whole = variant(name, shippingWithin, policy);
  const steps = whole.steps.flatMap((step) => {
    if (step.name !== "arrangeShipping") return [step];
    const compensation = { operation: "cancelPickUp", completeWithin: AMPLE };
    const { policy: _, ...rest } = step;
    const of = { name: "collectIt", operation: "pickUp", after: [step.name], completeWithin: AMPLE };
    return [
      { ...step, otherwise: of.name },
      { ...rest, ...of, compensation },
    ];
  });
  return { ...whole, steps };
}

/** What is dear is shipped; what is not has no shipping. */
function conditional(name: string): Workflow {
  const whole = variant(name, AMPLE);
  const steps = whole.steps.map((step) => (step.name === "arrangeShipping" ? { ...step, when: "isExpensive" } : step));
  return { ...whole, steps };
}

/** Each line is reserved by itself, as the result of a step before lists it. */
function listed(name: string): Workflow {
  const whole = variant(name, AMPLE);
  const within = { completeWithin: AMPLE, compensation: "nothing" } as const;
  const steps = whole.steps.map((step) =>
    step.name === "reserveStock"
      ? { ...step, after: ["sortLines"], forEach: "sortLines.lines", policy: { onRejected: "compensate" as const } }
      : step,
  );
  return {
    ...whole,
    steps: [{ name: "sortLines", agent: "sorter", operation: "decide", after: [], ...within }, ...steps],
  };
}

/** The flight service knows no keys. */
function flight(name: string): Workflow {
  const within = { completeWithin: AMPLE } as const;
  const compensation = (operation: string) => ({ compensation: { operation, ...within } });
  return {
    name,
    version: 1,
    policy: { ...forEver, onRejected: "fail" },
    steps: [
      { name: "bookFlight", agent: "flight", operation: "book", after: [], ...within, ...compensation("cancel") },
      {
        name: "takePayment",
        agent: "payment",
        operation: "authorize",
        after: ["bookFlight"],
        ...within,
        ...compensation("void"),
      },
    ],
  };
}

export const workflows: readonly Workflow[] = [
  conditional("conditional"),
  spare("spare"),
  listed("listed"),
  spare("spare-in-time", SHORT, { failureThreshold: 1 }),
  later("later"),
  uneven("uneven", SHORT, {}),
  uneven("eager", AMPLE, { onRejected: "compensate" }),
  variant("order-fulfilment", AMPLE),
  variant("brisk", "PT5S"),
  variant("hasty", SHORT),
  variant("patient", SHORT, { failureThreshold: 1, waits: ["PT1S"], onExhausted: "compensate" }),
  variant("strict", SHORT, { failureThreshold: 1 }),
  flight("flight"),
];
