// Choices that a seed makes: the same each time.
import { randomFrom } from "../../src/world/virtual-time.ts";

export class Dice {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  isBelow(chance: number): boolean {
    return this.#random() < chance;
  }

  /** From 0 to that number. */
  upTo(most: number): number {
    return Math.floor(this.#random() * (most + 1));
  }

  between(least: number, most: number): number {
    return least + this.#random() * (most - least);
  }

  oneOf<One>(all: readonly One[]): One {
    return all[this.upTo(all.length - 1)] as One;
  }

  /** @param weights how often each is chosen, in proportion */
  weighted<Name extends string>(weights: { readonly [name in Name]: number }): Name {
    const names = Object.keys(weights) as Name[];
    let left = this.#random() * names.reduce((sum, name) => sum + weights[name], 0);
    return names.find((name) => {
      left -= weights[name];
      return left < 0;
    }) as Name;
  }
}
