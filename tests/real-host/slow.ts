// A burst on a host that gets a tenth of its processor time, so that its engine is late: every order ends in one or two attempts, and no failure is counted.
import { CALM_ORDERS, type Calm, calmOf, paceFaults, partsOf } from "../load/completions.ts";
import { throttle } from "../load/throttle.ts";
import { type Burst, runBurst } from "./burst.ts";
import type { Setup } from "./setup.ts";

export interface Slow extends Omit<Burst, "records"> {
  /** A few orders, on the same host with the same part of its time. */
  readonly calm: Calm;
  /** Of each stretch of the burst: the part of that which was completed. */
  readonly parts: readonly number[];
  readonly faults: readonly string[];
}

const PERCENT = 10;
const WARM_UP_ORDERS = 10;
const MOST_ATTEMPTS = 2;

export async function runSlow(
  setup: Setup,
  orders: number,
  options: { readonly withinMs: number; readonly say: (line: string) => void },
): Promise<Slow> {
  await runBurst(setup, WARM_UP_ORDERS, options);
  const pids = Object.values(setup.host.pids).filter((pid) => pid !== undefined);
  await using _ = throttle((signal) => {
    for (const pid of pids) process.kill(pid, signal);
  }, PERCENT);
  const begunAt = Date.now();
  const { records, ...burst } = await runBurst(setup, orders, options);
  const { tally } = burst;
  const calmAt = Date.now();
  // Afterwards: what was seen of the engine would help the burst.
  const calm = calmOf((await runBurst(setup, CALM_ORDERS, options)).records, calmAt);
  const parts = partsOf(records, begunAt, calm);
  const failures = records.reduce((sum, { failureCount }) => sum + failureCount, 0);
  const faults = [
    ...(tally.states["Processed"] === orders ? [] : [`not all are Processed: ${JSON.stringify(tally.states)}`]),
    ...(tally.attempts.length <= MOST_ATTEMPTS ? [] : [`orders in attempt ${tally.attempts.length}`]),
    ...(failures === 0 ? [] : [`${failures} failures counted`]),
    ...paceFaults(parts),
  ];
  return { ...burst, calm, parts, faults };
}
