// Orders under way while the host, its worker or both are killed: all have to be Processed, with one effect for each step.
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { runBurst } from "./burst.ts";
import { HOW_ENDED, type Victim } from "./host-under-test.ts";
import type { Setup } from "./setup.ts";
import type { Tally } from "./tally.ts";

export interface KillResult {
  readonly victim: Victim;
  readonly tally: Tally;
  /** From the first send to the last end, and from the kill. */
  readonly seconds: number;
  readonly secondsAfterKill: number;
  /** From the kill until the host ran the app again. */
  readonly secondsAway: number;
  readonly faults: readonly string[];
}

const ORDERS = 50;
const WARM_UP_ORDERS = 10;
/** The part of all steps that is done when the kill comes. */
const MIDDLE = 0.4;

export async function runKill(
  setup: Setup,
  victim: Victim,
  withinMs: number,
  say: (line: string) => void,
): Promise<KillResult> {
  await runBurst(setup, WARM_UP_ORDERS, { withinMs, say });
  let killedAt: number | undefined;
  let recovery: Promise<number> | undefined;
  const onLook = async (records: readonly StateRecord[]) => {
    if (killedAt !== undefined || partDone(records) < MIDDLE) return;
    killedAt = Date.now();
    say(`${HOW_ENDED[victim]}, with ${Math.round(partDone(records) * 100)} % of the steps done`);
    await setup.host.kill(victim);
    recovery = setup.host.recover().then(() => Date.now());
    // It is awaited below; until then a failure must not end the process.
    recovery.catch(() => undefined);
  };
  const begunAt = Date.now();
  const { tally, seconds, records } = await runBurst(setup, ORDERS, { withinMs, say, onLook });
  const backAt = await recovery;
  const faults = [
    ...(killedAt === undefined ? ["the kill did not come under way"] : []),
    ...(tally.states["Processed"] === ORDERS ? [] : [`not all are Processed: ${JSON.stringify(tally.states)}`]),
    ...effectFaults(records, await effectsOf(setup)),
  ];
  const at = killedAt ?? begunAt;
  return {
    victim,
    tally,
    seconds,
    secondsAfterKill: seconds - (at - begunAt) / 1000,
    secondsAway: backAt === undefined ? Number.NaN : (backAt - at) / 1000,
    faults,
  };
}

function partDone(records: readonly StateRecord[]): number {
  const steps = records.flatMap((record) => Object.values(record.steps));
  const done = steps.filter(({ state }) => state === "Completed").length;
  return records.length === 0 ? 0 : (done / steps.length) * (records.length / ORDERS);
}

/** The idempotency keys under which the remote services did something. */
async function effectsOf({ remotes }: Setup): Promise<string[]> {
  const lists = Object.values(remotes).map(async (url) => {
    const response = await fetch(`${url}/$effects`);
    return ((await response.json()) as { effects: { key: string }[] }).effects.map(({ key }) => key);
  });
  return (await Promise.all(lists)).flat();
}

/** Each step of a Processed order has one effect, which is nobody's compensation. A key is `<order>:<step>:<direction>` and so on. */
export function effectFaults(records: readonly StateRecord[], keys: readonly string[]): string[] {
  const byOrder = Map.groupBy(keys, (key) => key.split(":")[0]);
  return records
    .filter(({ processState }) => processState === "Processed")
    .flatMap(({ jobId: orderId, steps }) => {
      const had = (byOrder.get(orderId) ?? []).map((key) => key.split(":").slice(1).join(":"));
      return [
        ...Object.keys(steps).flatMap((step) => {
          const times = had.filter((each) => each.startsWith(`${step}:forward`)).length;
          return times === 1 ? [] : [`${orderId}: ${step} has ${times} effects`];
        }),
        ...had
          .filter((each) => each.split(":")[1] !== "forward")
          .map((each) => `${orderId}: there is an effect ${each}`),
      ];
    });
}
