// The complete-by of one call to an agent (P8): one timer, which ends whatever is under way when it fires.

/** What a timer can hold: a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Starts an activity and answers how to stop it. It ends by one of the two callbacks, once it has cleaned up. */
export type Begin<T> = (settle: (value: T) => void, fail: (cause: unknown) => void) => () => void;

export class Deadline {
  #passed = false;
  /** A call does one thing after the other, so there is at most one to stop: no listeners. */
  #interrupt: (() => void) | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(leftMs: number) {
    this.#timer = setTimeout(
      () => {
        this.#passed = true;
        this.#interrupt?.();
      },
      Math.min(leftMs, LONGEST_TIMER_MS),
    );
  }

  get passed(): boolean {
    return this.#passed;
  }

  /** What the activity settles with; undefined as soon as the deadline passes, and the activity is stopped. */
  within<T>(begin: Begin<T>): Promise<T | undefined> {
    if (this.#passed) return Promise.resolve(undefined);
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
      const timer = setTimeout(settle, ms);
      return () => clearTimeout(timer);
    });
  }

  /** Lets go of the timer. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
