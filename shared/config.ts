// The app's settings, parsed once: one error names every fault.
import { z } from "zod";
import { durationMs } from "./domain/duration.ts";

const queueName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,259}$/, "must be the name of a queue");
const endpoint = z.url({ protocol: /^https?$/ }).transform((url) => (url.endsWith("/") ? url : `${url}/`));

const duration = (usual: string) =>
  z
    .string()
    .default(usual)
    .transform((text, context) => {
      const ms = durationMs(text);
      if (ms !== undefined) return ms;
      context.addIssue({ code: "custom", message: `must be an ISO 8601 duration such as ${usual}` });
      return z.NEVER;
    });

const pattern = z.string().transform((text, context) => {
  try {
    return new RegExp(text);
  } catch (cause) {
    context.addIssue({ code: "custom", message: `must be a regular expression: ${String(cause)}` });
    return z.NEVER;
  }
});

const settings = z.object({
  /** Connection string of the Service Bus namespace. */
  ServiceBus: z.string().min(1),
  SchedulerQueue: queueName.default("scheduler"),
  QuarantineQueue: queueName.default("quarantine"),
  /** What a private reply queue may be called. */
  ReplyQueuePattern: pattern.default(/^replies-[a-z0-9-]{1,80}$/),
  /** Connection string of the Cosmos DB account. */
  Cosmos: z.string().min(1),
  CosmosDatabase: z.string().min(1).default("orders"),
  OrdersContainer: z.string().min(1).default("orders"),
  InventoryEndpoint: endpoint,
  PaymentEndpoint: endpoint,
  ShippingEndpoint: endpoint,
  /** How long a Pending order may wait for its claim. */
  ClaimWithin: duration("PT5M"),
  /** What clocks may differ by. */
  ClockSkew: duration("PT2S"),
  /** A sweep that takes longer goes on at the next tick. */
  SweepWithin: duration("PT20S"),
});

export type Config = z.output<typeof settings>;

/** @throws one error that names every setting at fault. */
export function parseConfig(environment: { readonly [name: string]: string | undefined }): Config {
  const parsed = settings.safeParse(environment);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new Error(`These settings are at fault (local.settings.sample.json shows them all):\n  ${faults.join("\n  ")}`);
}
