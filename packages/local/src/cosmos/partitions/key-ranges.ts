// The physical partitions of containers, of which each has a range of the hashes of partition keys. All are in one table:
// what differs is what a client is told, and so what it asks each partition for and merges itself.
import type { Database } from "../../database/database.ts";
import { KeptMap } from "../../database/kept-map.ts";
import type { Container } from "../resources/container.ts";
import { HASH_SPACE, type HashRange, hashBound, hashFunctionOf } from "./partition-hash.ts";

export interface KeyRange {
  readonly id: string;
  /** Of `HASH_SPACE`: from the first to below the second. */
  readonly from: number;
  readonly below: number;
}

// Source: Cosmos DB documentation, "Best practices for scaling provisioned throughput (RU/s)": a physical partition carries at most
// 10,000 RU/s, and a new container begins with one for each 6,000 RU/s. It does not say what becomes of a new container between
// 6,000 and 10,000 RU/s: here it has one.
const MOST_PER_PARTITION = 10_000;
const FIRST_PER_PARTITION = 6_000;

const WHOLE: readonly KeyRange[] = [{ id: "0", from: 0, below: HASH_SPACE }];

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
  divide({ rid }: Container, throughput: number): void {
    if (throughput <= MOST_PER_PARTITION) return;
    const ranges = divided(Math.ceil(throughput / FIRST_PER_PARTITION));
    this.#database.prepare("INSERT INTO key_ranges VALUES (?, ?)").run(rid, JSON.stringify(ranges));
    this.#ranges.set(rid, ranges);
  }

  /** Inside a write. */
  forget(rid: string): void {
    if (!this.#ranges.delete(rid)) return;
    this.#database.prepare("DELETE FROM key_ranges WHERE rid = ?").run(rid);
  }
}

function divided(count: number): KeyRange[] {
  const bound = (n: number) => Math.round((HASH_SPACE / count) * n);
  return Array.from({ length: count }, (_, n) => ({ id: String(n), from: bound(n), below: bound(n + 1) }));
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
