// A walk along one index or along the table: where it begins, how it goes on from a place, and its SQL.
import type { Constraint } from "./constraints.ts";

export type BoundValue = string | number;

export interface Filter {
  readonly sql: string;
  readonly bindings: readonly BoundValue[];
}

/** The place in the candidates after which a page, or a piece of one, goes on. */
export interface Position {
  readonly key: string | null;
  readonly seq: number;
}

export interface Statement {
  readonly sql: string;
  readonly bindings: readonly BoundValue[];
}

interface Way {
  /** `SELECT ... FROM ...` */
  readonly select: string;
  readonly descending: boolean;
  /** What is looked at in passing, without an index. */
  readonly filters: readonly Filter[];
  /** The walk begins beyond this number. */
  readonly beyond?: number;
}

export type Walk =
  /** The whole table, by `seq`. */
  | (Way & { readonly kind: "table" })
  /** Some documents by their `seq`. */
  | (Way & { readonly kind: "listed"; readonly seqs: readonly number[] })
  /** The index of partition keys; SQLite has to sort what it finds there by `seq`. */
  | (Way & { readonly kind: "keys"; readonly keys: Filter })
  /** Those of one value of an indexed property, by `seq`. */
  | (Way & { readonly kind: "equal"; readonly column: string; readonly key: string })
  /** Those within bounds of an indexed property, by its value and then by `seq`. */
  | (Way & { readonly kind: "range"; readonly column: string; readonly bounds: readonly Filter[] });

export function statement(select: string, filters: readonly Filter[], order: string): Statement {
  const where = filters.length > 0 ? ` WHERE ${filters.map(({ sql }) => sql).join(" AND ")}` : "";
  const bindings = filters.flatMap((filter) => filter.bindings);
  return { sql: `${select}${where}${order ? ` ORDER BY ${order}` : ""}`, bindings };
}

/** All that a walk finds, up to a place where one is given. */
export function statementOf(walk: Walk, upTo?: Position): Statement {
  return statement(walk.select, [...along(walk, upTo), ...walk.filters], orderOf(walk));
}

export function orderOf(walk: Walk): string {
  const direction = walk.descending ? " DESC" : "";
  return walk.kind === "range" ? `${walk.column}${direction}, seq${direction}` : `seq${direction}`;
}

/** The conditions that the index answers. */
export function along(walk: Walk, upTo?: Position): Filter[] {
  const [further, noFurther] = walk.descending ? ["<", ">="] : [">", "<="];
  const seqs: Filter[] = [];
  if (walk.beyond !== undefined) seqs.push({ sql: `seq ${further} ?`, bindings: [walk.beyond] });
  if (upTo && walk.kind !== "range") seqs.push({ sql: `seq ${noFurther} ?`, bindings: [upTo.seq] });
  switch (walk.kind) {
    case "table":
      return seqs;
    case "listed":
      return [{ sql: "seq IN (SELECT value FROM json_each(?))", bindings: [JSON.stringify(walk.seqs)] }];
    case "keys":
      return [walk.keys, ...seqs];
    case "equal":
      return [{ sql: `${walk.column} = ?`, bindings: [walk.key] }, ...seqs];
    case "range": {
      if (!upTo || upTo.key === null) return [...walk.bounds];
      // The bound that the place replaces would only make SQLite walk on to it.
      const kept = walk.bounds.filter((bound) => !isBound(bound, walk.column, noFurther.charAt(0)));
      const most = { sql: `${walk.column} ${noFurther} ?`, bindings: [upTo.key] };
      const last = {
        sql: `(${walk.column} ${noFurther.charAt(0)} ? OR seq ${noFurther} ?)`,
        bindings: [upTo.key, upTo.seq],
      };
      return [...kept, most, last];
    }
    default:
      return walk satisfies never;
  }
}

/** What is left of a walk beyond a place in it. Documents of one value share a long stretch of their index. */
export function continued(walk: Walk, { key, seq }: Position): Walk[] {
  if (walk.kind === "listed") return [{ ...walk, seqs: walk.seqs.filter((listed) => listed > seq) }];
  if (walk.kind !== "range" || key === null) return [{ ...walk, beyond: seq }];
  const { column, select, descending, filters } = walk;
  const further = descending ? "<" : ">";
  const kept = walk.bounds.filter((bound) => !isBound(bound, column, further));
  return [
    { kind: "equal", column, key, select, descending, filters, beyond: seq },
    { ...walk, bounds: [...kept, { sql: `${column} ${further} ?`, bindings: [key] }] },
  ];
}

/** What is left of several walks, one after the other, beyond a place. */
export function walksFrom(walks: readonly Walk[], after: Position | undefined): Walk[] {
  if (!after) return [...walks];
  const at = walks.findIndex((walk) => holds(walk, after));
  const walk = walks[at];
  return walk ? [...continued(walk, after), ...walks.slice(at + 1)] : [];
}

function holds(walk: Walk, { key }: Position): boolean {
  if (walk.kind === "equal") return walk.key === key;
  return (walk.kind === "range") === (key !== null);
}

const isBound = ({ sql }: Filter, column: string, operator: string) => sql.startsWith(`${column} ${operator}`);

/** The walks over the index of one property, in the order of its values: one for each value that is asked for, or a range. */
export function walksAlong(way: Way, column: string, constraint: Constraint | undefined): Walk[] {
  const conditions = constraint?.conditions ?? [{ test: "IS NOT NULL", bindings: [] }];
  const values = conditions.find(({ test }) => test.startsWith("=") || test.startsWith("IN"));
  const others = conditions
    .filter((condition) => condition !== values)
    .map(({ test, bindings }) => ({ sql: `${column} ${test}`, bindings }));
  if (!values) return [{ ...way, kind: "range", column, bounds: others }];
  const keys = [...new Set(values.bindings)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  if (way.descending) keys.reverse();
  return keys.map((key) => ({ ...way, kind: "equal", column, key, filters: [...others, ...way.filters] }));
}
