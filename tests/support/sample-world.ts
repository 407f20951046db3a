// The core's world of tests with the sample's business in it.

import type { JobStore } from "@scheduler-agent-supervisor/core/store";
import { type Business, createWorld, type World } from "../../packages/core/tests/world.ts";
import { contracts } from "../../shared/contracts/order.ts";
import { orderFulfilment } from "../../shared/workflows/order-fulfilment.ts";
import { returns } from "../../shared/workflows/returns.ts";

const [FIRST_RETURNS] = returns;

const SAMPLE: Business = { workflows: [...orderFulfilment, ...(FIRST_RETURNS ? [FIRST_RETURNS] : [])], contracts };

export function createSampleWorld(startMs: number, store?: JobStore): World {
  return createWorld(startMs, store, SAMPLE);
}
