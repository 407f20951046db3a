// Why work may wait that is nobody's fault: what was paused, away, stopped or at fault in the app's own code, and when.

interface Hindrance {
  readonly what: string;
  readonly from: number;
  /** Infinite while it goes on. */
  until: number;
}

export class Hindrances {
  readonly #all: Hindrance[] = [];

  add(what: string, from: number, until = Number.POSITIVE_INFINITY): void {
    this.#all.push({ what, from, until });
  }

  end(what: string, at: number): void {
    for (const one of this.#all) if (one.what === what && one.until > at) one.until = at;
  }

  /** Those of that time, as long as they were in it. */
  in(from: number, until: number): readonly { readonly what: string; readonly from: number; readonly until: number }[] {
    return this.#all
      .map((one) => ({ ...one, from: Math.max(one.from, from), until: Math.min(one.until, until) }))
      .filter((one) => one.from < one.until);
  }

  /** How long that was so in that time, in milliseconds. */
  msOf(what: string, from: number, until: number): number {
    return this.in(from, until)
      .filter((one) => one.what === what)
      .reduce((sum, one) => sum + one.until - one.from, 0);
  }
}
