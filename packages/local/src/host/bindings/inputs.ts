// Reads what input bindings beside the trigger hand to a function, each from where its type says.
import type { CosmosClients } from "../change-feed/cosmos-clients.ts";
import type { Binding, Invocation, TypedData } from "../contract.ts";
import { readBlobInput } from "../storage/blob-input.ts";
import { readTableInput } from "../storage/table-bindings.ts";
import { readCosmosInput } from "./cosmos-input.ts";

/** The settings of the binding are filled in, its expressions are not. */
export function readInput(binding: Binding, invocation: Invocation, cosmos: CosmosClients): Promise<TypedData> {
  switch (binding.type.toLowerCase()) {
    case "blob":
      return readBlobInput(binding, invocation);
    case "table":
      return readTableInput(binding, invocation);
    default:
      return readCosmosInput(binding, invocation, cosmos);
  }
}
