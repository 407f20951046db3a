// The states that were reached, each once: found by a hash of its numbers, distinguished by the numbers themselves.
import type { State } from "./state.ts";

export class StateTable {
  #numbers = new Int32Array(1 << 20);
  #used = 0;
  #starts = new Int32Array(1 << 16);
  #parents = new Int32Array(1 << 16);
  #fair = new Int32Array(1 << 16);
  /** By hash: the state's index plus one, 0 where there is none. */
  #slots = new Int32Array(1 << 18);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Its index; undefined if it was not reached yet. */
  find(state: State): number | undefined {
    const known = this.#slots[this.#slotOf(state)] as number;
    return known === 0 ? undefined : known - 1;
  }

  /** Its index: a new one, or the one it has. */
  add(state: State, parent: number): number {
    const slot = this.#slotOf(state);
    const known = this.#slots[slot] as number;
    if (known !== 0) return known - 1;
    const index = this.#size;
    this.#makeRoom(state.length);
    this.#slots[slot] = index + 1;
    this.#starts[index] = this.#used;
    this.#parents[index] = parent;
    this.#numbers.set(state, this.#used);
    this.#used += state.length;
    this.#size += 1;
    this.#starts[this.#size] = this.#used;
    if (this.#size * 2 > this.#slots.length) this.#rehash();
    return index;
  }

  get(index: number): State {
    const end = this.#starts[index + 1] as number;
    const state: number[] = [];
    for (let at = this.#starts[index] as number; at < end; at += 1) state.push(this.#numbers[at] as number);
    return state;
  }

  parentOf(index: number): number {
    return this.#parents[index] as number;
  }

  fairOf(index: number): number {
    return this.#fair[index] as number;
  }

  /** Where a fair run without faults goes on from it; itself where it ends. */
  setFair(index: number, next: number): void {
    this.#fair[index] = next;
  }

  /** Where it is, or would be. */
  #slotOf(state: State): number {
    const mask = this.#slots.length - 1;
    let slot = hashOf(state) & mask;
    for (let known = this.#slots[slot] as number; known !== 0; known = this.#slots[slot] as number) {
      if (this.#equals(known - 1, state)) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #equals(index: number, state: State): boolean {
    const start = this.#starts[index] as number;
    if ((this.#starts[index + 1] as number) - start !== state.length) return false;
    for (let at = 0; at < state.length; at += 1) if (this.#numbers[start + at] !== state[at]) return false;
    return true;
  }

  #makeRoom(length: number): void {
    if (this.#used + length > this.#numbers.length) this.#numbers = doubled(this.#numbers);
    if (this.#size + 2 > this.#starts.length) {
      this.#starts = doubled(this.#starts);
      this.#parents = doubled(this.#parents);
      this.#fair = doubled(this.#fair);
    }
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let index = 0; index < this.#size; index += 1) {
      let slot = hashOf(this.#numbers.subarray(this.#starts[index], this.#starts[index + 1])) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = index + 1;
    }
  }
}

function doubled(before: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const after = new Int32Array(before.length * 2);
  after.set(before);
  return after;
}

/** FNV-1a over whole numbers, with a last stir. */
function hashOf(numbers: ArrayLike<number>): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < numbers.length; at += 1) {
    hash = Math.imul(hash ^ (numbers[at] as number), 0x01000193);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ (hash >>> 13), 0x5bd1e995);
  return (hash ^ (hash >>> 16)) >>> 0;
}
