// How a queue is polled: at once after a message, then at intervals that double up to the longest, until one of this process arrives.
// (DurableTask.AzureStorage: BackoffPollingHelper, AsyncAutoResetEvent.)
import type { AzureStorageProfile } from "../engine-profile.ts";
import type { Timer, Timers } from "../timers.ts";

type Settings = Pick<AzureStorageProfile, "minQueuePollingIntervalMs" | "maxQueuePollingIntervalMs" | "pollingJitter">;

/** The next interval after one that ended without a signal; 0 is the first. Pure but for `random`, from 0 to 1. */
export function nextInterval(
  exponent: number,
  { minQueuePollingIntervalMs: least, maxQueuePollingIntervalMs: most, pollingJitter }: Settings,
  random: () => number,
): number {
  if (exponent === 0) return Math.min(least, most);
  const factor = 1 - pollingJitter + 2 * pollingJitter * random();
  return Math.min(least + factor * 2 ** (exponent - 1) * least, most);
}

export class Polling {
  readonly #settings: Settings;
  readonly #timers: Timers;
  #exponent = 0;
  #intervalMs = 0;
  #isSignaled = false;
  #waiting: (() => void) | undefined;

  constructor(settings: Settings, timers: Timers) {
    this.#settings = settings;
    this.#timers = timers;
  }

  /** It waits, or would wait, for as long as it ever does. */
  get isIdle(): boolean {
    return this.#intervalMs >= this.#settings.maxQueuePollingIntervalMs;
  }

  /** Something has arrived: the wait, or else the next one, ends at once. */
  signal(): void {
    if (this.#waiting) this.#waiting();
    else this.#isSignaled = true;
  }

  async wait(): Promise<void> {
    const isSignaled = this.#isSignaled || (await this.#signaledWithin(this.#intervalMs));
    this.#isSignaled = false;
    if (isSignaled) {
      this.#intervalMs = this.#settings.minQueuePollingIntervalMs;
      this.#exponent = 1;
    } else if (!this.isIdle) {
      this.#intervalMs = nextInterval(this.#exponent, this.#settings, Math.random);
      this.#exponent += 1;
    }
  }

  #signaledWithin(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isSignaled: boolean) => {
        this.#waiting = undefined;
        resolve(isSignaled);
      };
      const timer: Timer = this.#timers.add(Date.now() + ms, () => end(false));
      this.#waiting = () => {
        this.#timers.cancel(timer);
        end(true);
      };
    });
  }
}
