// A container: what it is called, how it is divided and indexed, and where its documents are.
import type { JsonObject } from "../../json.ts";
import type { ItemTable } from "../items/item-table.ts";
import type { Indexing } from "../queries/indexing.ts";

export interface Container {
  readonly id: string;
  readonly rid: string;
  readonly definition: JsonObject;
  /** The segments of each partition key path. */
  readonly partitionPaths: readonly (readonly string[])[];
  readonly indexing: Indexing;
  readonly items: ItemTable;
}
