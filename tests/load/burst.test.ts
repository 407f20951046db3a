// P31: one customer's burst of urgent orders, and another one's few orders meanwhile, on one shared queue. Compared with the same orders alone, in the same run.
import { expect, test } from "vitest";
import { type BurstReport, runBurst } from "./burst.ts";

const TIMEOUT_MS = 600_000;
/** Of the median. The slowest of them, which come while the burst is first received, take longer: see docs/how-to/submitting.md. */
const MOST_TIMES_LONGER = 6;

async function besideBurst(delayMs: number): Promise<BurstReport> {
  const plan = { burst: 300, share: 0.5, delayMs, others: 15, withinMs: TIMEOUT_MS / 2 };
  const report = await runBurst(plan, () => undefined);
  console.log(report);
  expect(report.faults).toEqual([]);
  expect(report.retries).toBe(0);
  expect(report.mostHeld).toBeLessThan(0.6 * 200);
  return report;
}

test(
  "[submission | one customer's orders | a burst of urgent ones, each call taking 150 ms] the median time of another customer's orders stays below six times what it is alone; every order is processed in its first attempt",
  async () => expect((await besideBurst(150)).ratio).toBeLessThan(MOST_TIMES_LONGER),
  TIMEOUT_MS,
);

// The processor is scarce then, not the places in flight: how much longer the others take is not bounded.
test(
  "P31 where services answer at once, every order is processed in its first attempt",
  async () => void (await besideBurst(0)),
  TIMEOUT_MS,
);
