// What is under way, by a key: a Map that keeps nothing alive of what has left it.

interface Box<Value> {
  value: Value | undefined;
}

/**
 * In the order of insertion, as a Map. V8 links each table that a Map or a Set has outgrown to the next one, and leaves in it what stood there.
 * Once such a table has grown old, every collection of the young generation has to take it, and all that has passed through since,
 * for alive, until a full collection: so many short-lived objects are copied that each takes tens of milliseconds. Here the tables hold boxes,
 * which are emptied when their value leaves. Keys are therefore numbers or short texts.
 */
export class Register<Key extends number | string, Value extends object> {
  readonly #boxes = new Map<Key, Box<Value>>();

  get size(): number {
    return this.#boxes.size;
  }

  /** An older value of the key is replaced and keeps its place in the order. */
  set(key: Key, value: Value): void {
    const box = this.#boxes.get(key);
    if (box) box.value = value;
    else this.#boxes.set(key, { value });
  }

  get(key: Key): Value | undefined {
    return this.#boxes.get(key)?.value;
  }

  /** Whether it was there. */
  delete(key: Key): boolean {
    const box = this.#boxes.get(key);
    if (box) box.value = undefined;
    return this.#boxes.delete(key);
  }

  /** Values may leave, and join, meanwhile. */
  *values(): Generator<Value, void> {
    for (const { value } of this.#boxes.values()) if (value) yield value;
  }
}
