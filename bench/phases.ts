// What is measured on one stack, and in which order: each burst beside the SDK floor, one after the other and again.
import type { Stack } from "@scheduler-agent-supervisor/local";
import { settingsFor } from "../cli/settings.ts";
import { THREE_STEPS } from "../tests/support/orders.ts";
import { type FloorProcess, startFloor } from "./floor-process.ts";
import { type Load, runLoad } from "./load.ts";
import { measure } from "./measure.ts";
import { FLOOR_CLIENTS } from "./order-requests.ts";
import { compareRequests, type Phase, type Run, runOf } from "./report.ts";

export const STATUSES = ["all", "end"] as const;

export interface Plan {
  /** How many orders are in each. */
  readonly bursts: readonly number[];
  readonly repeat: number;
  /** Orders a second in the steady phase, and how many in all. */
  readonly rate: number;
  readonly steady: number;
  readonly statuses: (typeof STATUSES)[number];
  /** So many orders on the same stack at last. */
  readonly many: number | undefined;
  /** So many in flight at a kill of the host, after all others. */
  readonly inFlight: number | undefined;
  /** Whether anything but those two is measured. */
  readonly phases: boolean;
}

const WARM_UP_ORDERS = 500;
/** A graph of five, with two side by side; beside it one step after the other. */
const FIVE_STEPS = "order-fulfilment";

/** A host that has compiled nothing yet is slow. */
async function warmUp(stack: Stack, { workflow, statuses }: Pick<Load, "workflow" | "statuses">): Promise<void> {
  await runOurs("warm-up", stack, { orders: WARM_UP_ORDERS, workflow, statuses });
}

export async function runPhases(stack: Stack, plan: Plan): Promise<Phase[]> {
  // One process for all runs of each: it is as warm as the host.
  const floors: FloorProcess[] = [];
  try {
    for (const client of FLOOR_CLIENTS) floors.push(await startFloor(stack, plan.statuses, client));
    return await runBeside(floors as [FloorProcess, FloorProcess], stack, plan);
  } finally {
    for (const floor of floors) await floor.stop();
  }
}

async function runBeside(
  [bySdk, byApp]: readonly [FloorProcess, FloorProcess],
  stack: Stack,
  plan: Plan,
): Promise<Phase[]> {
  const { statuses, rate, steady, repeat, many } = plan;
  const three = (orders: number, { name } = THREE_STEPS): Load => ({ orders, workflow: name, statuses });
  const ours = (name: string, load: Load) => runOurs(name, stack, load);
  const floor = (load: Load) => runFloor("SDK floor", bySdk, stack, load);
  const ownFloor = (load: Load) => runFloor("SDK floor with the app's client", byApp, stack, load);
  await warmUp(stack, three(WARM_UP_ORDERS));
  for (const each of [floor, ownFloor]) await each(three(WARM_UP_ORDERS));
  const phases: Phase[] = [await steadily()];
  for (const orders of plan.bursts) phases.push(await burstOf(orders));
  const [first = 0] = plan.bursts;
  const alone = async (name: string, load: Load): Promise<Phase> => ({
    name,
    runs: [await ours(name, load)],
    floor: [],
    ownFloor: [],
  });
  phases.push(await alone(`five steps, burst of ${first}`, { ...three(first), workflow: FIVE_STEPS }));
  if (many !== undefined) phases.push(await alone(`three steps, ${many} on one stack`, three(many)));
  return phases;

  async function steadily(): Promise<Phase> {
    const load = { ...three(steady), rate };
    const name = `three steps, ${rate}/s for ${steady / rate} s`;
    return { name, floor: [await floor(load)], ownFloor: [await ownFloor(load)], runs: [await ours(name, load)] };
  }

  async function burstOf(orders: number): Promise<Phase> {
    const name = `three steps, burst of ${orders}`;
    const beside = { floor: [] as Run[], ownFloor: [] as Run[] };
    const runs: Run[] = [];
    for (let time = 0; time < repeat; time += 1) {
      const alone = { floor: await floor(three(orders)), ownFloor: await ownFloor(three(orders)) };
      const run = await ours(name, three(orders));
      for (const kind of ["floor", "ownFloor"] as const) {
        compareRequests(run, alone[kind]);
        beside[kind].push(alone[kind]);
      }
      runs.push(run);
    }
    return { name, runs, ...beside };
  }
}

async function runOurs(name: string, stack: Stack, load: Load): Promise<Run> {
  console.log(`${name} …`);
  const before = await measure(stack);
  const result = await runLoad(settingsFor(stack.addresses), load, (sent, ended) =>
    console.log(`  ${sent} sent, ${ended} ended of ${load.orders}`),
  );
  return runOf(result, before, await measure(stack), []);
}

/** Nobody else listens to the floor's queue; the host and the other floor are idle meanwhile. */
async function runFloor(name: string, floor: FloorProcess, stack: Stack, load: Load): Promise<Run> {
  console.log(`${name}, ${load.orders} orders …`);
  const settings = settingsFor(stack.addresses);
  const before = await measure(stack, floor);
  const result = await Promise.race([runLoad(settings, { ...load, queue: floor.queue }, () => {}), floor.failed]);
  return runOf(result, before, await measure(stack, floor), ["host"]);
}
