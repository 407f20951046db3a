// The options that say how many processes run the app's functions.
import { type InstanceCounts, parseInstances, TOPOLOGIES, type Topology } from "@scheduler-agent-supervisor/local";
import { choiceOf, UsageError, type Values } from "../every-app/arguments.ts";

/** @throws UsageError for a topology that there is not, and for instances in another form or another topology */
export function topologyOf(values: Values): { readonly topology: Topology; readonly instanceCounts?: InstanceCounts } {
  const topology = choiceOf(values, "topology", TOPOLOGIES);
  const { instances } = values;
  if (typeof instances !== "string") return { topology };
  if (topology === "single") throw new UsageError("--instances needs --topology flex");
  try {
    return { topology, instanceCounts: parseInstances(instances) };
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
