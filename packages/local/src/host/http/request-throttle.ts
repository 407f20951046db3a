// How many requests the app's functions take at one time, and how many wait there: `extensions.http` of host.json.
import type { HttpSettings } from "../host-json.ts";

/** Of one process of the app, as each instance in Azure has its own. */
export class RequestThrottle {
  readonly #most: Pick<HttpSettings, "mostAtOnce" | "mostHeld">;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(most: Pick<HttpSettings, "mostAtOnce" | "mostHeld">) {
    this.#most = most;
  }

  /** Waits for its turn. The returned function ends it; undefined at once: there are too many. */
  async enter(): Promise<(() => void) | undefined> {
    if (this.#running + this.#waiting.length >= this.#most.mostHeld) return undefined;
    if (this.#running < this.#most.mostAtOnce) this.#running += 1;
    // Whoever leaves hands over its place.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return () => this.#leave();
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running -= 1;
  }
}
