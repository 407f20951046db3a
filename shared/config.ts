// The app's settings, parsed once: one error names every fault.
import { z } from "zod";
import type { Endpoint } from "./agents/agent.ts";
import { parseEndpoints } from "./agents/endpoint-list.ts";
import { durationMs } from "./domain/duration.ts";

const queueName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,259}$/, "must be the name of a queue");
/** `https://one.example;capacity=20, https://other.example`: where an agent's service answers. */
const endpoints = z.string().transform((text, context): readonly Endpoint[] => {
  const { found, faults } = parseEndpoints(text);
  for (const message of faults) context.addIssue({ code: "custom", message });
  return found;
});

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
  /** Where the supervisors' ledger stands. */
  SupervisionContainer: z.string().min(1).default("supervision"),
  /** Connection string of the storage account that holds the supervisors' lease. */
  AzureWebJobsStorage: z.string().min(1),
  InventoryEndpoints: endpoints,
  PaymentEndpoints: endpoints,
  FraudEndpoints: endpoints,
  ShippingEndpoints: endpoints,
  /** An agent's try without an answer is given up after so long. */
  AgentTryTimeout: duration("PT5S"),
  /** An answer that takes longer counts against its endpoint's health. */
  AgentSlowAfter: duration("PT3S"),
  /** So many failures in a row and an endpoint gets no more work, but one probe after each pause. */
  BreakerFailures: z.coerce.number().int().min(1).default(5),
  /** The first pause of a broken endpoint; later ones grow to five times that. */
  BreakerOpenFor: duration("PT1S"),
  /** How long a Pending order may wait for its claim. */
  ClaimWithin: duration("PT5M"),
  /** What clocks may differ by. */
  ClockSkew: duration("PT2S"),
  /** A sweep that takes longer goes on at the next tick. */
  SweepWithin: duration("PT20S"),
  /** How long a supervisor that died still leads. */
  LeaseSeconds: z.coerce.number().int().min(15).max(60).default(15),
  /** Of the sweeps that find nothing, one in this time stands in the ledger. */
  IdleSweepRecordedEvery: duration("PT10M"),
  /** Goes over host.json: hosts on one bus and store need task hubs of different names. */
  AzureFunctionsJobHost__extensions__durableTask__hubName: z.string().min(1).default("OrderScheduler"),
  /** Set by the host. */
  WEBSITE_HOSTNAME: z.string().min(1).optional(),
});

export type Config = z.output<typeof settings>;

/** @throws one error that names every setting at fault. */
export function parseConfig(environment: { readonly [name: string]: string | undefined }): Config {
  const parsed = settings.safeParse(environment);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new Error(`These settings are at fault (local.settings.sample.json shows them all):\n  ${faults.join("\n  ")}`);
}
