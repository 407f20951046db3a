// The sample orders on this host: each has to end as its sample says.
import type { Sample } from "../../cli/common/samples.ts";
import { createBoard } from "../../cli/start/board.ts";
import { endedAsExpected, follow } from "../../cli/start/follow.ts";
import { sendSamples } from "../../cli/start/send-samples.ts";
import { runBurst } from "./burst.ts";
import type { Setup } from "./setup.ts";

export interface SamplesResult {
  readonly samples: number;
  readonly asExpected: number;
  readonly seconds: number;
  readonly faults: readonly string[];
}

const WARM_UP_ORDERS = 10;
/** A service that is down has to be so for the whole of a step that a slow host comes to this much later than a fast one. */
const LATER_MS = 8000;

export async function runSamples(setup: Setup, withinMs: number): Promise<SamplesResult> {
  const { project, shop, records, remotes } = setup;
  await runBurst(setup, WARM_UP_ORDERS, { withinMs, say: () => undefined });
  const samples = project.readSamples(Date.now().toString(36)).map(withLongFaults);
  await project.switchOnFaults(samples, remotes);
  const begun = performance.now();
  const orders = await sendSamples(samples, shop, records);
  const ended = await follow(orders, records, createBoard(process.stdout), withinMs, new AbortController().signal);
  const wrong = ended.filter((one) => !endedAsExpected(one));
  return {
    samples: samples.length,
    asExpected: samples.length - wrong.length,
    seconds: (performance.now() - begun) / 1000,
    faults: wrong.map(
      ({ followed, ending, attempts }) =>
        `${followed.orderId}: ${ending} after ${attempts} attempts, not ${followed.sample?.ends}`,
    ),
  };
}

function withLongFaults(sample: Sample): Sample {
  const faults = sample.faults.map(({ service, fault }) => {
    const { forMs } = fault;
    return { service, fault: typeof forMs === "number" ? { ...fault, forMs: forMs + LATER_MS } : fault };
  });
  return { ...sample, faults };
}
