// The switch `--like-azure`: what Azure refuses, delays or takes back now and then, which is off by itself since it takes time.
import type { BusOptions } from "../bus/start.ts";
import type { CosmosOptions } from "../cosmos/start.ts";

export const BUS_LIKE_AZURE = {
  serverBusyEvery: 50,
  /** In Azure ten minutes: here so short that a run meets it. */
  idleDetachMs: 30_000,
} as const satisfies Partial<BusOptions>;

export const COSMOS_LIKE_AZURE = {
  staleReadsMs: 500,
  /** Of a serverless container. Microsoft, "Azure Cosmos DB serverless account performance". */
  throughput: 5000,
  limitsMetadata: true,
} as const satisfies Partial<CosmosOptions>;
