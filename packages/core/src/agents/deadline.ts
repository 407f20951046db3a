// The complete-by of one call to an agent (P8): one timer, which ends the current activity when it fires.
import { startTimer, type Timer } from "../domain/timer.ts";

/** Milliseconds since 1970. */
export type WallClock = () => number;

/** Starts an activity and returns a function that stops it. The activity ends with one of the two callbacks, after it has cleaned up. */
export type Begin<T> = (settle: (value: T) => void, fail: (cause: unknown) => void) => () => void;

export class Deadline {
  #passed = false;
  readonly #now: WallClock;
  readonly #at: number;
  /** A call does one activity after the other, so there is at most one to stop: no listeners are needed. */
  #interrupt: (() => void) | undefined;
  readonly #timer: Timer;

  /** @param now timers stand still while a machine is suspended: this clock does not */
  constructor(leftMs: number, now: WallClock) {
    this.#now = now;
    this.#at = now() + leftMs;
    this.#timer = startTimer(leftMs, () => this.pass());
  }

  get passed(): boolean {
    return this.#passed || this.#now() >= this.#at;
  }

  /** Ends the current activity, as the timer does. */
  pass(): void {
    this.#passed = true;
    this.#interrupt?.();
  }

  /** The activity's result; undefined as soon as the deadline passes, and the activity is stopped. */
  within<T>(begin: Begin<T>): Promise<T | undefined> {
    if (this.passed) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      let isOver = false;
      const end = (how: () => void) => {
        if (isOver) return;
        isOver = true;
        this.#interrupt = undefined;
        how();
      };
      const stop = begin(
        (value) => end(() => resolve(value)),
        (cause) => end(() => reject(cause)),
      );
      if (isOver) return;
      this.#interrupt = () =>
        end(() => {
          stop();
          resolve(undefined);
        });
    });
  }

  async pause(ms: number): Promise<void> {
    await this.within<void>((settle) => {
      const timer = startTimer(ms, settle);
      return timer.end;
    });
  }

  /** Clears the timer. */
  end(): void {
    this.#timer.end();
  }
}
