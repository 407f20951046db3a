// An answer of the store that is kept for some seconds: its cost does not grow with the number of callers.

const KEPT_MS = 5000;

interface Kept<T> {
  readonly at: number;
  readonly answer: Promise<T>;
  /** Present once it is read. */
  known?: { readonly answer: T };
}

/** The last answer for some seconds; a caller during a read waits for that read. */
export function remembered<T>(now: () => number, read: () => Promise<T>, keptMs = KEPT_MS) {
  let last: Kept<T> | undefined;
  const kept = () => (last && now() - last.at < keptMs ? last : undefined);
  return {
    /** The answer that is still kept; undefined if it has to be read. */
    known: () => kept()?.known,
    read(): Promise<T> {
      const before = kept();
      if (before) return before.answer;
      const answer = read();
      const current: Kept<T> = { at: now(), answer };
      last = current;
      answer.then(
        (known) => {
          current.known = { answer: known };
        },
        // After a failed read the next caller reads again.
        () => {
          if (last === current) last = undefined;
        },
      );
      return answer;
    },
    forget(): void {
      last = undefined;
    },
  };
}
