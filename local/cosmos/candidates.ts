// The documents along an access path, read and parsed one at a time as they are asked for.
import type { AccessPath } from "./access-path.ts";
import type { Container } from "./catalog.ts";
import type { StoredItem } from "./item-table.ts";
import type { Json } from "./sql/values.ts";

export interface Candidate {
  readonly row: StoredItem;
  readonly document: Json;
}

export function* candidates({ items }: Container, { parts }: AccessPath): Generator<Candidate> {
  for (const { sql, bindings } of parts) {
    for (const row of items.rows(sql, bindings)) yield { row, document: JSON.parse(row.body) as Json };
  }
}
