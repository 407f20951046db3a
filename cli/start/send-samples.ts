// Sends the sample orders, and switches on their faults.

import { hasEnded } from "@scheduler-agent-supervisor/core/domain";
import { idNameOf } from "@scheduler-agent-supervisor/core/messaging";
import { FAULT_HEADERS } from "@scheduler-agent-supervisor/local/remotes";
import { business } from "../../shared/business.ts";
import type { Records } from "../common/records.ts";
import type { Sample } from "../common/samples.ts";
import type { Shop } from "../common/shop.ts";
import type { Followed } from "./follow.ts";

const ID = idNameOf(business.contracts);

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
