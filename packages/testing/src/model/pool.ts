// Values by number: equal ones have the same, so that a state is a short list of numbers.

export class Pool<T> {
  readonly #ids = new Map<string, number>();
  readonly #items: T[] = [];
  readonly #keys: string[] = [];

  /** The number of what `key` stands for; numbers begin at 1. */
  idOf(key: string, make: () => T): number {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#items.push(make());
    this.#keys.push(key);
    this.#ids.set(key, id);
    return id;
  }

  get(id: number): T {
    const item = this.#items[id - 1];
    if (item === undefined) throw new Error(`nothing has the number ${id}`);
    return item;
  }

  keyOf(id: number): string {
    const key = this.#keys[id - 1];
    if (key === undefined) throw new Error(`nothing has the number ${id}`);
    return key;
  }

  get size(): number {
    return this.#items.length;
  }
}

/** JSON values by number, and what becomes of each by a change of its text. */
export class Values {
  readonly #pool = new Pool<unknown>();
  readonly #changed = new Map<(json: string) => string, number[]>();

  idOf(value: unknown): number {
    const json = JSON.stringify(value);
    return this.#pool.idOf(json, () => JSON.parse(json));
  }

  get<T>(id: number): T {
    return this.#pool.get(id) as T;
  }

  /** As JSON. */
  textOf(id: number): string {
    return this.#pool.keyOf(id);
  }

  /** The values whose texts `change` makes of these together. */
  changedTogether(ids: readonly number[], change: (texts: readonly string[]) => readonly string[]): number[] {
    const texts = change(ids.map((id) => this.#pool.keyOf(id)));
    return texts.map((json) => this.#pool.idOf(json, () => JSON.parse(json)));
  }

  /** The value whose text `change` makes of this one's. */
  changed(id: number, change: (json: string) => string): number {
    let known = this.#changed.get(change);
    if (!known) {
      known = [];
      this.#changed.set(change, known);
    }
    const before = known[id];
    if (before !== undefined) return before;
    const json = change(this.#pool.keyOf(id));
    const after = this.#pool.idOf(json, () => JSON.parse(json));
    known[id] = after;
    return after;
  }

  get size(): number {
    return this.#pool.size;
  }
}
