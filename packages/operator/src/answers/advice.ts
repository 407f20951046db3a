// Advice on the times of steps: what they took in a sample of jobs, what is proposed, and what other times would have done.
import { z } from "zod";
import { instant } from "./parts.ts";

const count = z.int().min(0);
const times = z.strictObject({ count, p50Ms: z.number(), p99Ms: z.number(), mostMs: z.number() });
const limits = z.strictObject({ startWithin: z.string(), completeWithin: z.string() });
const outlook = z.strictObject({ jobs: count, startedLater: count, timedOut: count, exhausted: count });

const stepAdvice = z.strictObject({
  step: z.string(),
  agent: z.string(),
  /** Until its agent took it up. */
  start: times.nullable(),
  /** Until its agent was done, or its service had accepted it. */
  work: times.nullable(),
  /** From its acceptance to its report. */
  wait: times.nullable(),
  timeouts: count,
  notTakenUp: count,
  current: limits,
  /** Null if too little is known: see `because`. */
  proposed: limits.nullable(),
  because: z.string(),
  /** What the limits would have done to the jobs of the sample; `asked`: those of the request. */
  outlook: z.strictObject({ today: outlook, proposed: outlook.nullable(), asked: outlook.nullable() }),
});

/** `GET /api/advice`. */
export const advice = z.strictObject({
  asOf: instant,
  since: instant,
  /** The jobs that were read, of at most `mostSampled`. */
  sampled: count,
  mostSampled: count,
  workflows: z.array(z.strictObject({ name: z.string(), version: z.int(), jobs: count, steps: z.array(stepAdvice) })),
});

export type Advice = z.output<typeof advice>;
export type StepAdvice = z.output<typeof stepAdvice>;
