// A binary heap of things that fall due, with lazy removal: the broker's replacement for one timer per message.

interface Entry<T> {
  readonly item: T;
  readonly dueAt: number;
}

const COMPACTION_MINIMUM = 64;

/** Ordered by due instant (or any other number). Entries whose item is no longer wanted are skipped, and swept when they outnumber the rest. */
export class DueHeap<T> {
  #entries: Entry<T>[] = [];
  #dropped = 0;
  readonly #isWanted: (item: T, dueAt: number) => boolean;

  /** @param isWanted says whether an entry still counts; it must turn false before `drop` is called for it. */
  constructor(isWanted: (item: T, dueAt: number) => boolean) {
    this.#isWanted = isWanted;
  }

  push(item: T, dueAt: number): void {
    this.#entries.push({ item, dueAt });
    this.#rise(this.#entries.length - 1);
  }

  /** Notes that one entry is no longer wanted. */
  drop(): void {
    this.#dropped += 1;
    if (this.#dropped < COMPACTION_MINIMUM || this.#dropped * 2 < this.#entries.length) return;
    this.#entries = this.#entries.filter(({ item, dueAt }) => this.#isWanted(item, dueAt));
    this.#entries.sort((one, other) => one.dueAt - other.dueAt);
    this.#dropped = 0;
  }

  /** Takes the first wanted item whose instant is not after `now`. */
  take(now: number): T | undefined {
    for (let head = this.#entries[0]; head && head.dueAt <= now; head = this.#entries[0]) {
      this.#removeHead();
      if (this.#isWanted(head.item, head.dueAt)) return head.item;
      if (this.#dropped > 0) this.#dropped -= 1;
    }
    return undefined;
  }

  #removeHead(): void {
    const last = this.#entries.pop();
    if (last === undefined || this.#entries.length === 0) return;
    this.#entries[0] = last;
    this.#sink(0);
  }

  #rise(start: number): void {
    let index = start;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#swapUnlessOrdered(parent, index)) return;
      index = parent;
    }
  }

  #sink(start: number): void {
    let index = start;
    for (let child = 1; child < this.#entries.length; child = index * 2 + 1) {
      if (child + 1 < this.#entries.length && this.#dueAt(child + 1) < this.#dueAt(child)) child += 1;
      if (!this.#swapUnlessOrdered(index, child)) return;
      index = child;
    }
  }

  #dueAt(index: number): number {
    return this.#entries[index]?.dueAt ?? Number.POSITIVE_INFINITY;
  }

  #swapUnlessOrdered(upper: number, lower: number): boolean {
    const above = this.#entries[upper];
    const below = this.#entries[lower];
    if (!above || !below || above.dueAt <= below.dueAt) return false;
    this.#entries[upper] = below;
    this.#entries[lower] = above;
    return true;
  }
}
