// A page of a query whose candidates come in another order than its results: take them all, sort, cut.

import type { Candidate } from "./candidates.ts";
import { type Continuation, readValues, writeContinuation, writeValues } from "./continuation.ts";
import type { Page, QueryRequest } from "./run-query.ts";
import { type CompiledQuery, matches } from "./sql/compiled-query.ts";
import { compareValues, type Value } from "./sql/values.ts";

interface Found {
  readonly text: string;
  readonly values: readonly Value[];
  readonly seq: number;
}

type Place = Pick<Found, "values" | "seq">;

export interface Bounds {
  readonly skip: number;
  /** Undefined is no limit. */
  readonly take: number | undefined;
}

export function sortedPage(
  request: QueryRequest,
  candidates: Iterable<Candidate>,
  from: Continuation,
  bounds: Bounds,
): Page {
  const { query } = request;
  const { skip, take } = bounds;
  const found = [...findings(request, candidates)].sort((a, b) => compare(query, a, b));
  if (query.distinct) {
    // One page: what is distinct depends on everything before it.
    const texts = [...new Set(found.map(({ text }) => text))];
    return { results: texts.slice(skip, take === undefined ? undefined : skip + take) };
  }
  const last: Place | undefined = from.after && { seq: from.after.seq, values: readValues(from.after.values) };
  const rest = last ? found.filter((item) => compare(query, item, last) > 0) : found.slice(skip);
  // The results that joins make of one document share a place, and a page cannot end between them.
  const size = query.joins.length > 0 ? rest.length : request.pageSize;
  const taken = rest.slice(0, Math.min(size, take ?? size));
  const results = taken.map(({ text }) => text);
  const left = take === undefined ? undefined : take - taken.length;
  const end = taken.at(-1);
  if (!end || taken.length === rest.length || left === 0) return { results };
  const after = { values: writeValues(end.values), seq: end.seq };
  return { results, continuation: writeContinuation({ after, ...(left === undefined ? {} : { left }) }) };
}

function* findings({ query, parameters, container }: QueryRequest, candidates: Iterable<Candidate>): Generator<Found> {
  // Azure leaves documents without the property out, unless its path is named in the indexing policy.
  const keepsUndefined = query.orderings.every(({ path }) => container.indexing.coverage(path) === "named");
  for (const { row, document } of candidates) {
    for (const scope of matches(query, document, parameters)) {
      const output = query.project(scope);
      const values = query.orderings.map(({ evaluate }) => evaluate(scope));
      if (output === undefined || (!keepsUndefined && values.includes(undefined))) continue;
      yield { text: output === document ? row.body : JSON.stringify(output), values, seq: row.seq };
    }
  }
}

function compare({ orderings }: CompiledQuery, a: Place, b: Place): number {
  for (const [index, { descending }] of orderings.entries()) {
    const order = compareValues(a.values[index], b.values[index]);
    if (order !== 0) return descending ? -order : order;
  }
  return a.seq - b.seq;
}
