// Any suite runs on another stack than the usual one, by the environment.
import {
  COSMOS_LIKE_AZURE,
  ENGINES,
  type EngineName,
  TOPOLOGIES,
  type Topology,
} from "@scheduler-agent-supervisor/local";

/** ENGINE=azure-storage. */
export function chosenEngine(): EngineName {
  const { ENGINE: chosen = "fast" } = process.env;
  const found = ENGINES.find((one) => one === chosen);
  if (!found) throw new Error(`ENGINE is ${chosen}, and has to be ${ENGINES.join(" or ")}`);
  return found;
}

/** TOPOLOGY=flex. */
export function chosenTopology(): Topology {
  const { TOPOLOGY: chosen = "single" } = process.env;
  const found = TOPOLOGIES.find((one) => one === chosen);
  if (!found) throw new Error(`TOPOLOGY is ${chosen}, and has to be ${TOPOLOGIES.join(" or ")}`);
  return found;
}

/** Parts that are as strict as Azure: LIKE_AZURE=1. */
export function isLikeAzure(): boolean {
  const { LIKE_AZURE: chosen } = process.env;
  if (chosen === undefined || chosen === "1") return chosen === "1";
  throw new Error(`LIKE_AZURE is ${chosen}, and has to be 1`);
}

/** Stale reads of Cosmos DB: STALE_READS=MS. */
export function chosenStaleReadsMs(): number | undefined {
  const { STALE_READS: chosen } = process.env;
  if (chosen === undefined) return isLikeAzure() ? COSMOS_LIKE_AZURE.staleReadsMs : undefined;
  const ms = Number(chosen);
  if (Number.isInteger(ms) && ms > 0) return ms;
  throw new Error(`STALE_READS is ${chosen}, and has to be a number of milliseconds`);
}
