// Writes what a function put into its output bindings, each to where its type says.

import type { Binding, TypedData } from "../contract.ts";
import type { CosmosClients } from "./cosmos-clients.ts";
import type { ServiceBusClients } from "./service-bus-clients.ts";
import { sendOutput } from "./service-bus-output.ts";

interface OutputClients {
  readonly serviceBus: ServiceBusClients;
  readonly cosmos: CosmosClients;
}

/** The settings and expressions of the binding are filled in. */
export async function writeOutput(binding: Binding, data: TypedData, clients: OutputClients): Promise<void> {
  switch (binding.type.toLowerCase()) {
    case "cosmosdb":
      return await clients.cosmos.upsert(binding, data);
    default:
      return await sendOutput(clients.serviceBus, binding, data);
  }
}
