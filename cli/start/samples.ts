// The sample orders: what each shows, how it has to end, and the faults that make it so.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hasEnded } from "@scheduler-agent-supervisor/core/internal/domain/record/state-record";
import { idNameOf } from "@scheduler-agent-supervisor/core/internal/messaging/job-id";
import { FAULT_HEADERS } from "@scheduler-agent-supervisor/local/remotes/fault-key";
import type { ServiceFault } from "@scheduler-agent-supervisor/testing";
import { business } from "../../shared/business.ts";
import type { Records } from "../common/records.ts";
import type { Shop } from "../common/shop.ts";
import { ROOT } from "../settings.ts";
import type { Followed } from "./follow.ts";

const ID = idNameOf(business.contracts);

export const ENDINGS = ["Processed", "Compensated", "Cancelled", "Error", "Quarantined"] as const;
export type Ending = (typeof ENDINGS)[number];

export interface Sample {
  readonly about: string;
  readonly ends: Ending;
  /** How many attempts it takes at least. */
  readonly attempts: number;
  readonly copies: number;
  readonly body: Record<string, unknown>;
  /** Its own id with the run's after it, so that each run sends new orders; what a malformed one has instead is no id. */
  readonly orderId: string;
  /** The job of another sample that its content names: that one has to have ended first. */
  readonly after?: string | undefined;
  readonly faults: readonly { readonly service: string; readonly fault: ServiceFault }[];
}

interface SampleFile {
  readonly samples: readonly {
    readonly file: string;
    readonly about: string;
    readonly ends: Ending;
    readonly attempts?: number;
    readonly copies?: number;
    /** The member of the content that names another sample's job. */
    readonly refersBy?: string;
    readonly faults?: Sample["faults"];
  }[];
}

export function readSamples(run: string): Sample[] {
  return readList().map(({ file, about, ends, attempts = 1, copies = 1, refersBy, faults = [] }) => {
    const content = readContent(file);
    const orderId = `${content[ID] ?? file.replace(/\.json$/, "")}-${run}`;
    const after = refersBy && `${content[refersBy]}-${run}`;
    const body = { ...content, [ID]: orderId, ...(after && { [refersBy]: after }) };
    return { about, ends, attempts, copies, faults, orderId, after, body };
  });
}

/** What the first sample says: for jobs that are made. */
export function firstContent(): Readonly<Record<string, unknown>> {
  const [first] = readList();
  if (!first) throw new Error("samples/samples.json names no sample");
  return readContent(first.file);
}

const POLL_MS = 100;
const ENDED_WITHIN_MS = 60_000;

/**
 * Sends each sample in its turn, with its copies.
 * @param before right before each: a fault that lasts 15 s would be over where many samples before it take their time
 */
export async function sendSamples(
  samples: readonly Sample[],
  shop: Pick<Shop, "send">,
  records: Pick<Records, "of">,
  before: (sample: Sample) => Promise<void> = async () => undefined,
): Promise<Followed[]> {
  const orders: Followed[] = [];
  for (const sample of samples) {
    const { orderId, body, copies, after } = sample;
    if (after) await ended(after, records);
    await before(sample);
    const messageId = await shop.send(body);
    for (let copy = 1; copy < copies; copy += 1) await shop.send(body, messageId);
    orders.push({ orderId, messageId, sample, sentAt: Date.now() });
  }
  return orders;
}

/** Where it takes too long the other one is sent all the same, and its end says why it is rejected. */
async function ended(orderId: string, records: Pick<Records, "of">): Promise<void> {
  const endAt = Date.now() + ENDED_WITHIN_MS;
  while (Date.now() < endAt) {
    const [record] = await records.of([orderId]);
    if (hasEnded(record?.processState)) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
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
        headers: FAULT_HEADERS,
        body: JSON.stringify({ ...fault, match: { [ID]: orderId } }),
      });
      if (!response.ok) throw new Error(`${service} did not take the fault: ${await response.text()}`);
    }
  }
}

function readList(): SampleFile["samples"] {
  return (readJson("samples.json") as SampleFile).samples;
}

function readContent(file: string): Readonly<Record<string, unknown>> {
  return readJson(file) as Readonly<Record<string, unknown>>;
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, "samples", name), "utf8"));
}
