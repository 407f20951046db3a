// P31: one customer's burst of urgent orders, and another one's few orders meanwhile, on one shared queue. Compared with the same orders alone, in the same run.
import { expect, test } from "vitest";
import { runBurst } from "./burst.ts";

const TIMEOUT_MS = 600_000;
/** Without fairness the other customer's orders stand behind the whole burst: the ratio is above 15. */
const MOST_TIMES_LONGER = 6;

async function besideBurst(delayMs: number): Promise<void> {
  const plan = { burst: 300, share: 0.5, delayMs, others: 15, withinMs: TIMEOUT_MS / 2 };
  const report = await runBurst(plan, () => undefined);
  console.log(report);
  expect(report.faults).toEqual([]);
  expect(report.retries).toBe(0);
  expect(report.mostHeld).toBeLessThan(0.6 * 200);
  expect(report.ratio).toBeLessThan(MOST_TIMES_LONGER);
}

test(
  "[submission | one customer's orders | a burst of urgent ones] those of another customer go on beside it: no key takes all places",
  () => besideBurst(150),
  TIMEOUT_MS,
);

test("P31 the same where services answer at once", () => besideBurst(0), TIMEOUT_MS);
