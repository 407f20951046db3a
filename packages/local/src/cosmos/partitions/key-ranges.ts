// The physical partitions of containers, of which each has a range of the hashes of partition keys. All are in one table:
// what differs is what a client is told, and so what it asks each partition for and merges itself.
import type { Database } from "../../database/database.ts";
import { KeptMap } from "../../database/kept-map.ts";
import type { Container } from "../resources/container.ts";
import type { JsonObject } from "../sql/values.ts";
import { HASH_SPACE, type HashRange, hashBound, hashFunctionOf } from "./partition-hash.ts";

export interface KeyRange {
  readonly id: string;
  /** Of `HASH_SPACE`: from the first to below the second. */
  readonly from: number;
  readonly below: number;
  /** The ranges that it was split from, the oldest first. */
  readonly parents: readonly string[];
}

// Source: Cosmos DB documentation, "Best practices for scaling provisioned throughput (RU/s)": a physical partition carries at most
// 10,000 RU/s, and a raised throughput splits until ROUNDUP(RU/s / 10,000) are there; a new container begins with one for each 6,000
// RU/s, and of autoscale for each 10,000. It does not say what becomes of a new container between 6,000 and 10,000 RU/s: here it has one.
const MOST_PER_PARTITION = 10_000;
const FIRST_PER_PARTITION = 6_000;

const WHOLE: readonly KeyRange[] = [{ id: "0", from: 0, below: HASH_SPACE, parents: [] }];

export class KeyRanges {
  readonly #database: Database;
  readonly #ranges: Map<string, readonly KeyRange[]>;

  constructor(database: Database) {
    this.#database = database;
    this.#ranges = new KeptMap(database);
    database.exec("CREATE TABLE IF NOT EXISTS key_ranges (rid TEXT PRIMARY KEY, body TEXT NOT NULL)");
    for (const row of database.prepare("SELECT rid, body FROM key_ranges").all()) {
      this.#ranges.set(String(row["rid"]), JSON.parse(String(row["body"])) as KeyRange[]);
    }
  }

  of({ rid }: Container): readonly KeyRange[] {
    return this.#ranges.get(rid) ?? WHOLE;
  }

  /** Inside a write: as many as a new container has with this throughput. */
  divide({ rid }: Container, throughput: JsonObject): void {
    const count = firstCount(throughput);
    if (count > 1) this.#keep(rid, divided(count));
  }

  /** Inside a write: splits ranges, the widest first, until they carry a throughput that was raised. They never merge. */
  split(container: Container, throughput: JsonObject): void {
    const wanted = Math.ceil(highest(throughput) / MOST_PER_PARTITION);
    const ranges = [...this.of(container)];
    if (ranges.length >= wanted) return;
    let next = Math.max(...ranges.map(({ id }) => Number(id))) + 1;
    while (ranges.length < wanted) {
      const at = ranges.reduce((best, range, index) => (widthOf(range) > widthOf(ranges[best]) ? index : best), 0);
      const old = ranges[at];
      if (!old) return;
      const parents = [...old.parents, old.id];
      const middle = Math.floor((old.from + old.below) / 2);
      const left = { id: String(next), from: old.from, below: middle, parents };
      const right = { id: String(next + 1), from: middle, below: old.below, parents };
      ranges.splice(at, 1, left, right);
      next += 2;
    }
    this.#keep(container.rid, ranges);
  }

  /** Inside a write. */
  forget(rid: string): void {
    if (!this.#ranges.delete(rid)) return;
    this.#database.prepare("DELETE FROM key_ranges WHERE rid = ?").run(rid);
  }

  #keep(rid: string, ranges: readonly KeyRange[]): void {
    this.#database.prepare("INSERT OR REPLACE INTO key_ranges VALUES (?, ?)").run(rid, JSON.stringify(ranges));
    this.#ranges.set(rid, ranges);
  }
}

const widthOf = (range: KeyRange | undefined) => (range ? range.below - range.from : 0);

const highest = ({ offerThroughput, offerAutopilotSettings: automatic }: JsonObject) =>
  Number((automatic as JsonObject | undefined)?.["maxThroughput"] ?? offerThroughput);

function firstCount(throughput: JsonObject): number {
  const most = highest(throughput);
  if (most <= MOST_PER_PARTITION) return 1;
  return Math.ceil(most / (throughput["offerAutopilotSettings"] ? MOST_PER_PARTITION : FIRST_PER_PARTITION));
}

function divided(count: number): KeyRange[] {
  const bound = (n: number) => Math.round((HASH_SPACE / count) * n);
  return Array.from({ length: count }, (_, n) => ({ id: String(n), from: bound(n), below: bound(n + 1), parents: [] }));
}

/** The bounds as clients write them. */
export function hashesOf(container: Container, { from, below }: KeyRange): HashRange {
  const of = hashFunctionOf(container);
  return { of, min: hashBound(from, of), max: hashBound(below, of) };
}

/** The range that a request names: clients also write the resource id of the container before it. */
export function rangeNamed(ranges: readonly KeyRange[], name: string): KeyRange | undefined {
  const id = name.slice(name.indexOf(",") + 1);
  return ranges.find((range) => range.id === id);
}
