// The documents along an access path, read and parsed one at a time as they are asked for.

import type { Json } from "../../json.ts";
import type { StoredItem } from "../items/item-table.ts";
import type { AccessPath, Search } from "./access-path.ts";
import { type Pause, rowsOf } from "./row-source.ts";

export interface Candidate {
  readonly row: StoredItem;
  readonly document: Json;
}

const READ_AT_FIRST = 100;

export function* candidates(
  { container, window, visited }: Search,
  { walks }: AccessPath,
  first = READ_AT_FIRST,
): Generator<Candidate | Pause> {
  for (const row of rowsOf(container.items, walks, first, window, visited)) {
    yield row && { row, document: JSON.parse(row.body) as Json };
  }
}
