// A page of a query whose candidates come in another order than its results: take them all, sort, cut.

import type { Sliced } from "../slices.ts";
import { type CompiledQuery, matches } from "../sql/compiled-query.ts";
import { compareValues } from "../sql/values.ts";
import type { Candidate } from "./candidates.ts";
import { type Continuation, readValues, writeContinuation, writeValues } from "./continuation.ts";
import { type Bounds, cut, type Page, type Place, pageOfAll, type QueryRequest } from "./page.ts";
import type { Pause } from "./row-source.ts";
import { mergeSorted, SORTED_AT_ONCE } from "./sliced-sort.ts";

interface Found extends Place {
  readonly text: string;
}

export function* sortedPage(
  request: QueryRequest,
  candidates: Iterable<Candidate | Pause>,
  from: Continuation,
  bounds: Bounds,
): Sliced<Page> {
  const { query } = request;
  const { skip, take } = bounds;
  const last: Place | undefined = from.after && { seq: from.after.seq, values: readValues(from.after.values) };
  // The results that joins make of one document share a place.
  const isWhole = query.joins.length > 0;
  const wanted = isWhole ? Number.POSITIVE_INFINITY : Math.min(request.pageSize, take ?? Number.POSITIVE_INFINITY);
  const most = skip + (take ?? Number.POSITIVE_INFINITY);
  const shortlist = new Shortlist(query, isWhole ? most : (last ? 0 : skip) + wanted + 1);
  for (const item of findings(request, candidates)) {
    if (item && !(last && compare(query, item, last) <= 0)) shortlist.add(item);
    yield;
  }
  const found = yield* shortlist.sorted();
  if (isWhole) {
    const texts = yield* textsOf(found);
    return pageOfAll(request, texts, from, bounds);
  }
  const rest = last ? found : found.slice(skip);
  const taken = cut(rest, wanted);
  const results = taken.map(({ text }) => text);
  const left = take === undefined ? undefined : take - taken.length;
  const end = taken.at(-1);
  if (!end || taken.length === rest.length || left === 0) return { results };
  const after = { values: writeValues(end.values), seq: end.seq };
  return { results, continuation: writeContinuation({ after, ...(left === undefined ? {} : { left }) }) };
}

function* textsOf(found: Iterable<Found>): Sliced<string[]> {
  const texts: string[] = [];
  for (const { text } of found) {
    texts.push(text);
    yield;
  }
  return texts;
}

/** Keeps the first `most` of what it is given, in the order of the query. */
class Shortlist {
  readonly #query: CompiledQuery;
  readonly #most: number;
  #kept: Found[] = [];

  constructor(query: CompiledQuery, most: number) {
    this.#query = query;
    this.#most = most;
  }

  add(item: Found): void {
    this.#kept.push(item);
    if (this.#kept.length < 2 * this.#most + SORTED_AT_ONCE) return;
    this.#kept.sort((a, b) => compare(this.#query, a, b));
    this.#kept.length = this.#most;
  }

  *sorted(): Sliced<Found[]> {
    const sorted = yield* mergeSorted(this.#kept, (a, b) => compare(this.#query, a, b));
    return Number.isFinite(this.#most) ? sorted.slice(0, this.#most) : sorted;
  }
}

function* findings(
  { query, parameters, container }: QueryRequest,
  candidates: Iterable<Candidate | Pause>,
): Generator<Found | Pause> {
  // Azure leaves documents without the property out, unless its path is named in the indexing policy.
  // A composite index holds them too.
  const keepsUndefined =
    query.orderings.length > 1 || query.orderings.every(({ path }) => container.indexing.coverage(path) === "named");
  for (const candidate of candidates) {
    yield;
    if (!candidate) continue;
    const { row, document } = candidate;
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
