// The sample orders: what each shows, how it has to end, and the faults that make it so.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./settings.ts";

export type Ending = "Processed" | "Error" | "Quarantined";

export interface Sample {
  readonly about: string;
  readonly ends: Ending;
  /** How many attempts it takes at least. */
  readonly attempts: number;
  readonly copies: number;
  readonly body: Record<string, unknown>;
  /** Its own id with the run's after it, so that each run sends new orders; what a malformed one has instead is no id. */
  readonly orderId: string;
  readonly faults: readonly { readonly service: string; readonly fault: Record<string, unknown> }[];
}

interface SampleFile {
  readonly samples: readonly {
    readonly file: string;
    readonly about: string;
    readonly ends: Ending;
    readonly attempts?: number;
    readonly copies?: number;
    readonly faults?: Sample["faults"];
  }[];
}

export function readSamples(run: string): Sample[] {
  const { samples } = readJson("samples.json") as SampleFile;
  return samples.map(({ file, about, ends, attempts = 1, copies = 1, faults = [] }) => {
    const body = readJson(file) as Record<string, unknown>;
    const orderId = `${String(body["orderId"])}-${run}`;
    return { about, ends, attempts, copies, faults, orderId, body: { ...body, orderId } };
  });
}

/** Switches on the faults that samples need, each for its own order only. */
export async function switchOnFaults(
  samples: readonly Sample[],
  remotes: Readonly<Record<string, string>>,
): Promise<void> {
  for (const { orderId, faults } of samples) {
    for (const { service, fault } of faults) {
      const response = await fetch(`${remotes[service]}/$faults`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...fault, match: { orderId } }),
      });
      if (!response.ok) throw new Error(`${service} did not take the fault: ${await response.text()}`);
    }
  }
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, "samples", name), "utf8"));
}
