// The workflow that the outages meet: as shipped, and with the same policy in less time.

import { durationMs } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { orderFulfilment } from "../../shared/workflows/order-fulfilment.ts";

/** The newest version of order fulfilment, untouched. */
export const [SHIPPED] = orderFulfilment.slice(-1) as [Workflow];

/** The longest wait of its policy before a further attempt. */
export function longestWaitMs({ policy: { waits } }: Workflow): number {
  return Math.max(...waits.map((wait) => durationMs(wait) ?? 0));
}

/** Of the same shape: as many attempts and waits, with the same ends; each wait is a sixtieth, and each step has three seconds. */
export const SHORTENED: Workflow = {
  ...SHIPPED,
  policy: {
    ...SHIPPED.policy,
    waits: SHIPPED.policy.waits.map((wait) => `PT${(durationMs(wait) ?? 0) / 60_000}S`),
  },
  steps: SHIPPED.steps.map(({ compensation, ...step }) => ({
    ...step,
    completeWithin: "PT3S",
    compensation: typeof compensation === "string" ? compensation : { ...compensation, completeWithin: "PT3S" },
  })),
};
