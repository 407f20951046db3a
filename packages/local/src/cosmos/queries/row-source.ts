// Reads what walks find in small pieces, and says after each one that other requests may have their turn.
//
// No statement stays open between pieces, for writes happen there: a piece goes on from the place where the one before it
// ended. What filters leave out takes time too, so a walk with filters is cut into windows before it is read.
import type { ItemTable, StoredItem } from "../items/item-table.ts";
import { nothingVisited, type Visited } from "../visited.ts";
import { along, continued, orderOf, type Position, type Statement, statement, statementOf, type Walk } from "./walk.ts";

/** A place where the work may be left for a while. */
export type Pause = undefined;

const QUICK_MS = 2;
const SLOW_MS = 8;
const LEAST_SPAN = 16;
export const FIRST_WINDOW = 2000;
/** An index answers for itself, without the documents. */
export const FIRST_TOTAL = 8000;
const MOST_SPAN = 1 << 30;
/** Up to this many documents of a key are read and sorted by SQLite in one go. */
const LARGE_KEY = 2000;
const BYTES_A_LOOK = 16 * 1024;
const LISTED_AT_ONCE = 500;

/** How many documents a piece goes over: more while that is quick, fewer when it takes long. */
class Span {
  size: number;

  constructor(size: number) {
    this.size = Math.max(size, LEAST_SPAN);
  }

  took(ms: number): void {
    if (ms < QUICK_MS) this.size = Math.min(this.size * 2, MOST_SPAN);
    else if (ms > SLOW_MS) this.size = Math.max(this.size >> 1, LEAST_SPAN);
  }
}

/** The rows of the walks, in order. `first` is how many are probably wanted. */
export function* rowsOf(
  items: ItemTable,
  walks: readonly Walk[],
  first: number,
  firstWindow = FIRST_WINDOW,
  visited = nothingVisited(),
): Generator<StoredItem | Pause> {
  const queue = [...walks];
  const [window, count] = [new Span(firstWindow), new Span(first)];
  for (let walk = queue.shift(); walk && !items.isDropped; walk = queue.shift()) {
    if (walk.kind === "keys" && isLarge(items, walk)) {
      queue.unshift(...(yield* listed(items, walk)));
      continue;
    }
    const started = performance.now();
    const isFiltered = walk.filters.length > 0;
    const span = isFiltered ? window : count;
    const end = isFiltered ? windowEnd(items, walk, span.size) : undefined;
    const most = isFiltered ? Number.POSITIVE_INFINITY : span.size;
    const { rows, stopped } = read(items, statementOf(walk, end), most, started + SLOW_MS);
    span.took(performance.now() - started);
    const last = rows.at(-1);
    const at = stopped && last ? positionOf(last) : end;
    if (at) queue.unshift(...continued(walk, at));
    yield* visiting(items, walk, rows, at, visited);
    visited.reached = at ?? endOf(walk) ?? visited.reached;
    yield;
  }
}

/** The last place of a walk, where that is known without a look. */
function endOf(walk: Walk): Position | undefined {
  const last = walk.kind === "listed" ? walk.seqs.at(-1) : undefined;
  return last === undefined ? undefined : { key: null, seq: last };
}

/** The rows of a piece, which ends at `end`, or with the walk. Who has enough before that has not visited the rest. */
function* visiting(
  items: ItemTable,
  walk: Walk,
  rows: readonly StoredItem[],
  end: Position | undefined,
  visited: Visited,
): Generator<StoredItem> {
  let given = 0;
  try {
    for (const row of rows) {
      given += 1;
      visited.documents += 1;
      visited.bytes += row.body.length;
      yield row;
    }
    given += 1;
  } finally {
    const last = rows[given - 1];
    visited.entries += entriesOf(items, walk, last ? positionOf(last) : end) ?? Math.min(given, rows.length);
  }
}

/** How many entries of its index a walk goes along up to a place; undefined where it has left none out. */
function entriesOf(items: ItemTable, walk: Walk, upTo: Position | undefined): number | undefined {
  if (walk.filters.length === 0 || walk.kind === "table" || items.isDropped) return undefined;
  const { sql, bindings } = statement(`SELECT count(*) AS n FROM ${items.name}`, along(walk, upTo), "");
  return Number([...items.rows(sql, bindings)][0]?.["n"] ?? 0);
}

/** The rows of an aggregate over each window of the walks; the order of the windows means nothing. */
export function* totalsOf(
  items: ItemTable,
  walks: readonly Walk[],
  totalOf: (walk: Walk, end: Position | undefined) => Statement,
  firstWindow: number,
  visited: Visited,
): Generator<StoredItem | Pause> {
  const queue = [...walks];
  const span = new Span(firstWindow);
  for (let walk = queue.shift(); walk && !items.isDropped; walk = queue.shift()) {
    if (walk.kind === "keys" && isLarge(items, walk)) {
      queue.unshift(...(yield* listed(items, walk)));
      continue;
    }
    const started = performance.now();
    const end = windowEnd(items, walk, span.size);
    const { sql, bindings } = totalOf(walk, end);
    const rows = [...items.rows(sql, bindings)];
    span.took(performance.now() - started);
    if (end) queue.unshift(...continued(walk, end));
    const counted = rows.reduce((sum, row) => sum + Number(row["times"]), 0);
    visited.entries += entriesOf(items, walk, end) ?? counted;
    yield* rows;
    yield;
  }
}

export function positionOf(row: StoredItem): Position {
  return { key: (row["key"] as string | null | undefined) ?? null, seq: row.seq };
}

function read(
  items: ItemTable,
  { sql, bindings }: Statement,
  most: number,
  until: number,
): { readonly rows: StoredItem[]; readonly stopped: boolean } {
  const rows: StoredItem[] = [];
  let bytes = 0;
  for (const row of items.rows(sql, bindings)) {
    bytes += row.body.length;
    rows.push(row);
    if (rows.length >= most) return { rows, stopped: true };
    // The clock is looked at now and then, for that takes time too.
    if (bytes < BYTES_A_LOOK) continue;
    bytes = 0;
    if (performance.now() > until) return { rows, stopped: true };
  }
  return { rows, stopped: false };
}

/** The place that ends a window over the next `span` documents of a walk; undefined where fewer are left. */
function windowEnd(items: ItemTable, walk: Walk, span: number): Position | undefined {
  if (walk.kind === "keys" || walk.kind === "listed") return undefined;
  if (walk.kind === "table") {
    // Numbers are given out one after the other, so a window needs no look at the table.
    const from = walk.beyond ?? (walk.descending ? items.lastSeq + 1 : 0);
    const seq = walk.descending ? from - span : from + span;
    return seq <= 0 || seq >= items.lastSeq ? undefined : { key: null, seq };
  }
  const { sql, bindings } = statement(
    `SELECT seq, ${walk.column} AS key FROM ${items.name}`,
    along(walk),
    `${orderOf(walk)} LIMIT 1 OFFSET ?`,
  );
  const [row] = [...items.rows(sql, [...bindings, span - 1])];
  return row && positionOf(row);
}

function isLarge(items: ItemTable, { keys }: Extract<Walk, { kind: "keys" }>): boolean {
  const sql = `SELECT seq FROM ${items.name} WHERE ${keys.sql} LIMIT 1 OFFSET ?`;
  return [...items.rows(sql, [...keys.bindings, LARGE_KEY])].length > 0;
}

/** The documents of many keys, or of one that has many, sorted here: SQLite would sort them all for every piece. */
function* listed(items: ItemTable, walk: Extract<Walk, { kind: "keys" }>): Generator<Pause, Walk[]> {
  const { keys, beyond = 0 } = walk;
  const found: number[] = [];
  const select = `SELECT seq, pk, id FROM ${items.name} WHERE`;
  let last: { readonly pk: string; readonly id: string } | undefined;
  for (let more = true; more && !items.isDropped; ) {
    more = false;
    const next: Statement[] = last
      ? [
          { sql: "pk = ? AND id > ?", bindings: [last.pk, last.id] },
          { sql: `pk > ? AND ${keys.sql}`, bindings: [last.pk, ...keys.bindings] },
        ]
      : [keys];
    for (const { sql, bindings } of next) {
      if (more) break;
      for (const row of items.rows(`${select} ${sql} ORDER BY pk, id LIMIT ?`, [...bindings, LARGE_KEY])) {
        more = true;
        last = { pk: String(row["pk"]), id: String(row["id"]) };
        if (row.seq > beyond) found.push(row.seq);
      }
    }
    yield;
  }
  const sorted = [...Float64Array.from(found).sort()];
  const { select: selected, descending, filters } = walk;
  return Array.from({ length: Math.ceil(sorted.length / LISTED_AT_ONCE) }, (_, at) => ({
    kind: "listed" as const,
    seqs: sorted.slice(at * LISTED_AT_ONCE, (at + 1) * LISTED_AT_ONCE),
    select: selected,
    descending,
    filters,
  }));
}
