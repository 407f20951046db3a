// Durable timers in memory: a heap from which any entry can be taken out, and one setTimeout for the earliest.

export interface Timer {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly fire: () => void;
  /** Its place in the heap; -1 once it has fired or was cancelled. */
  index: number;
}

/** The longest delay that setTimeout can count. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export class Timers {
  readonly #heap: Timer[] = [];
  #armed: NodeJS.Timeout | undefined;
  #armedAt = Number.POSITIVE_INFINITY;

  get size(): number {
    return this.#heap.length;
  }

  add(at: number, fire: () => void): Timer {
    const timer: Timer = { at, fire, index: this.#heap.length };
    this.#heap.push(timer);
    this.#rise(timer);
    this.#arm();
    return timer;
  }

  /** A timeout armed for it stays armed: it finds nothing due and arms the next one. */
  cancel(timer: Timer): void {
    const { index } = timer;
    if (index < 0) return;
    timer.index = -1;
    const last = this.#heap.pop();
    if (!last || last === timer) return;
    this.#place(last, index);
    this.#rise(last);
    this.#sink(last);
  }

  close(): void {
    clearTimeout(this.#armed);
    this.#heap.length = 0;
    this.#armedAt = Number.POSITIVE_INFINITY;
  }

  #arm(): void {
    const earliest = this.#heap[0];
    if (!earliest || earliest.at >= this.#armedAt) return;
    clearTimeout(this.#armed);
    this.#armedAt = earliest.at;
    const delay = Math.min(Math.max(earliest.at - Date.now(), 0), MAX_TIMEOUT_MS);
    this.#armed = setTimeout(() => this.#fireDue(), delay);
  }

  #fireDue(): void {
    this.#armedAt = Number.POSITIVE_INFINITY;
    const now = Date.now();
    for (let first = this.#heap[0]; first && first.at <= now; first = this.#heap[0]) {
      this.cancel(first);
      first.fire();
    }
    this.#arm();
  }

  #rise(timer: Timer): void {
    while (timer.index > 0) {
      const parent = this.#heap[(timer.index - 1) >> 1];
      if (!parent || parent.at <= timer.at) return;
      this.#swap(timer, parent);
    }
  }

  #sink(timer: Timer): void {
    for (;;) {
      const left = this.#heap[2 * timer.index + 1];
      const right = this.#heap[2 * timer.index + 2];
      const lesser = right && left && right.at < left.at ? right : left;
      if (!lesser || lesser.at >= timer.at) return;
      this.#swap(lesser, timer);
    }
  }

  #swap(a: Timer, b: Timer): void {
    const { index } = a;
    this.#place(a, b.index);
    this.#place(b, index);
  }

  #place(timer: Timer, index: number): void {
    timer.index = index;
    this.#heap[index] = timer;
  }
}
