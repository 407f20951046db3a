// Packs the histories of orchestrations that have ended, when the engine has little to do: nobody replays them any more.
import type { Database } from "../../database/database.ts";
import type { PackedHistory } from "./history-store.ts";
import type { InstanceStore } from "./instance-store.ts";

interface PackingParts {
  readonly db: Database;
  readonly store: InstanceStore;
  /** How many have been run. */
  readonly turns: () => number;
}

const EVERY_MS = 250;
/** While there is nothing else to do. */
const AGAIN_AFTER_MS = 20;
const AT_ONCE = 16;
/** With more turns than this since the last time the work in hand goes first: an attempt of four or five, a hundred times a second. */
const FEW_TURNS = 100;
/** More than this are not left to wait. */
const MOST_WAITING = 20_000;

export class Packing {
  packed = 0;
  readonly #parts: PackingParts;
  /** The `int` of those that have ended since the start; after a restart the others stay as they are. */
  readonly #ended = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #turns = 0;
  #isClosed = false;

  constructor(parts: PackingParts) {
    this.#parts = parts;
  }

  add(int: number): void {
    this.#ended.add(int);
    this.#wait(EVERY_MS);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #wait(ms: number): void {
    if (this.#timer || this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#pack(), ms).unref();
  }

  async #pack(): Promise<void> {
    const turns = this.#parts.turns();
    const isIdle = turns === this.#turns;
    if (turns - this.#turns <= FEW_TURNS || this.#ended.size > MOST_WAITING) await this.#packSome();
    this.#turns = turns;
    this.#timer = undefined;
    if (this.#ended.size > 0) this.#wait(isIdle ? AGAIN_AFTER_MS : EVERY_MS);
  }

  async #packSome(): Promise<void> {
    const { db, store } = this.#parts;
    const packs: PackedHistory[] = [];
    let taken = 0;
    for (const int of this.#ended) {
      if (taken === AT_ONCE) break;
      taken += 1;
      this.#ended.delete(int);
      const pack = store.pack(int);
      if (pack) packs.push(pack);
    }
    if (packs.length === 0) return;
    // Not written, as when the engine is closed or the disk is full: they stay as they are.
    this.packed += await db.write(() => packs.filter((pack) => store.putPack(pack)).length).catch(() => 0);
  }
}
