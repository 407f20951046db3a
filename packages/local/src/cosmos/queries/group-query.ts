// Aggregates and GROUP BY: from the index columns alone where they hold all that is asked, otherwise from the documents.

import { isObject, type Json, type JsonObject, setOwn } from "../../json.ts";
import { quoted } from "../items/item-schema.ts";
import type { ItemTable, StoredItem } from "../items/item-table.ts";
import type { Sliced } from "../slices.ts";
import type { Aggregate } from "../sql/aggregates.ts";
import { type Grouping, matches } from "../sql/compiled-query.ts";
import type { Scope } from "../sql/evaluate.ts";
import { identity, type Value, valueOfKey } from "../sql/values.ts";
import { nothingVisited, type Visited } from "../visited.ts";
import { accessPath, type Request } from "./access-path.ts";
import { type Candidate, candidates } from "./candidates.ts";
import { FIRST_TOTAL, FIRST_WINDOW, type Pause, totalsOf } from "./row-source.ts";
import { along, type Position, statement, type Walk } from "./walk.ts";

const ID = "/id";

interface Group {
  readonly first: Scope;
  readonly aggregates: readonly Aggregate[];
}

interface Weighted {
  readonly document: Json;
  /** How many documents look like this one. */
  readonly times: number;
}

/** Every result as JSON; without GROUP BY exactly one group, even over nothing. */
export function* collectGroups(search: Request, grouping: Grouping): Sliced<string[]> {
  const { query, parameters } = search;
  const groups = new Map<string, Group>();
  const open = (first: Scope): Group => ({ first, aggregates: grouping.aggregates.map(({ start }) => start()) });
  if (grouping.keys.length === 0) groups.set("", open({ values: [], parameters, totals: [] }));
  const counted = yield* fromColumns(search);
  // Of what SQLite has filtered only the columns of the results are there.
  const remaining = counted && isFiltered(search) ? { ...query, where: undefined } : query;
  for (const next of counted ?? each(candidates(search, accessPath(search)))) {
    yield;
    if (!next) continue;
    const { document, times } = next;
    for (const scope of matches(remaining, document, parameters)) {
      const values = grouping.keys.map((key) => key(scope));
      const name = values.map(identity).join("\n");
      let group = groups.get(name);
      if (!group) {
        group = open(scope);
        groups.set(name, group);
      }
      for (const [index, aggregate] of group.aggregates.entries()) {
        aggregate.add(grouping.aggregates[index]?.given(scope), times);
      }
    }
  }
  const results: string[] = [];
  for (const { first, aggregates } of groups.values()) {
    yield;
    const output = query.project({ ...first, totals: aggregates.map((aggregate) => aggregate.result()) });
    if (output !== undefined) results.push(JSON.stringify(output));
  }
  return results;
}

/** Whether SQLite's answer needs no second look. */
function isFiltered(search: Request): boolean {
  return search.query.exact && accessPath({ ...search, after: undefined }).constraints.complete;
}

function* each(documents: Iterable<Candidate | Pause>): Generator<Weighted | Pause> {
  for (const next of documents) {
    yield next && { document: next.document, times: 1 };
  }
}

/** One stand-in document for each combination of the columns, or undefined where a column does not hold its value. */
function* fromColumns(search: Request): Sliced<Weighted[] | undefined> {
  const { container, query } = search;
  const columns = new Map(container.items.paths.map(({ name, segments }) => [name, segments]));
  columns.set(ID, ["id"]);
  const used = isFiltered(search) ? query.shownPaths : query.paths;
  if (!used?.every((path) => columns.has(path))) return undefined;
  const weighted: Weighted[] = [];
  for (const row of countsOf(search, used)) {
    yield;
    if (!row) continue;
    const document: JsonObject = {};
    for (const path of used) {
      const stored = row[path] as string | null;
      const held = path === ID ? { value: stored } : valueOfKey(stored);
      if (!held) return undefined;
      place(document, columns.get(path) ?? [], held.value);
    }
    weighted.push({ document, times: Number(row["times"]) });
  }
  return weighted;
}

/** How many documents have each combination of the paths: from all at once where nothing is asked of them. */
function countsOf(search: Request, used: readonly string[]): Generator<StoredItem | Pause> {
  const { items } = search.container;
  const { walks } = accessPath({ ...search, after: undefined });
  const columns = used.map((path) => (path === ID ? "id" : quoted(path)));
  const named = columns.map((column, index) => `${column} AS ${quoted(used[index] ?? "")}, `).join("");
  const select = `SELECT ${named}count(*) AS times FROM ${items.name}`;
  const [walk] = walks;
  const isWhole = columns.length === 0 && walk?.kind === "table" && walk.filters.length === 0;
  const { visited = nothingVisited() } = search;
  if (isWhole) return wholeCount(items, select, visited);
  const totalOf = (part: Walk, end: Position | undefined) => {
    const counted = statement(select, [...along(part, end), ...part.filters], "");
    return columns.length > 0 ? { ...counted, sql: `${counted.sql} GROUP BY ${columns.join(", ")}` } : counted;
  };
  const isOfIndex = columns.length === 0 && walks.every(({ filters }) => filters.length === 0);
  return totalsOf(items, walks, totalOf, search.window ?? (isOfIndex ? FIRST_TOTAL : FIRST_WINDOW), visited);
}

function* wholeCount(items: ItemTable, select: string, visited: Visited): Generator<StoredItem> {
  for (const row of items.rows(select, [])) {
    visited.entries += Number(row["times"]);
    yield row;
  }
}

function place(document: JsonObject, segments: readonly string[], value: Value): void {
  if (value === undefined) return;
  let at = document;
  for (const segment of segments.slice(0, -1)) {
    const next = Object.hasOwn(at, segment) ? at[segment] : undefined;
    const child: JsonObject = isObject(next) ? next : {};
    setOwn(at, segment, child);
    at = child;
  }
  setOwn(at, segments.at(-1) ?? "", value);
}
