// What one order costs, infra/cost/counts.json: the only place where a count stands. tests/stack/order-counts.test.ts counts again.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "../settings.ts";

const count = z.number().positive();
const schema = z.strictObject({
  /** Of which order. */
  of: z.string(),
  counted: z.string(),
  perOrder: z.strictObject({
    busSends: count,
    /** To the app and to the client, which completes what it gets. */
    busDeliveries: count,
    busCompletions: count,
    storeRequests: count,
    /** By a model of what Azure charges. */
    requestUnits: count,
    activities: count,
    /** The app's own; the host adds its own. */
    spans: count,
    /** Each is a record of the log, whatever part of the traces is kept. */
    events: count,
  }),
  realHost: z.strictObject({
    counted: z.string(),
    storageRequests: count,
    cpuMs: count,
    /** From arrival to Processed, alone on the machine. */
    aloneMs: count,
  }),
  /** Read in the host's and the extension's sources. */
  hostSource: z.strictObject({
    /** Of invocations, orchestrations and activities. */
    spans: count,
    /** Of the category Host.Triggers.DurableTask at Information, which host.json leaves out. */
    engineLines: count,
  }),
  estimated: z.strictObject({
    /** Of a message as it is sent, with its properties. */
    messageBytes: count,
    /** Of Durable Task Scheduler. */
    durableActions: count,
    /** How long an attempt holds an order, with services that take some 100 ms. */
    heldMs: count,
  }),
});

export type OrderCounts = z.infer<typeof schema>;

export function readCounts(file = join(ROOT, "infra/cost/counts.json")): OrderCounts {
  return schema.parse(JSON.parse(readFileSync(file, "utf8")));
}
