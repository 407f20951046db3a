// The documents along an access path, read and parsed one at a time as they are asked for.

import type { StoredItem } from "../items/item-table.ts";
import type { Container } from "../resources/catalog.ts";
import type { Json } from "../sql/values.ts";
import type { Visited } from "../visited.ts";
import type { AccessPath } from "./access-path.ts";
import { type Pause, rowsOf } from "./row-source.ts";

export interface Candidate {
  readonly row: StoredItem;
  readonly document: Json;
}

export interface Search {
  readonly container: Container;
  /** How many documents filters go through in one go at first; a small number is for tests. */
  readonly window?: number | undefined;
  /** Told of all that is read. */
  readonly visited?: Visited;
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
