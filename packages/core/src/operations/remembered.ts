// An answer of the store that is kept for some seconds: what it costs does not grow with those who ask.

const KEPT_MS = 5000;

interface Kept<T> {
  readonly at: number;
  readonly answer: Promise<T>;
  /** Once it is there. */
  known?: { readonly answer: T };
}

/** The last answer for some seconds; who asks while it is on its way waits for that one. */
export function remembered<T>(now: () => number, read: () => Promise<T>, keptMs = KEPT_MS) {
  let last: Kept<T> | undefined;
  const kept = () => (last && now() - last.at < keptMs ? last : undefined);
  return {
    /** What was answered and is still kept; undefined where it has to be read. */
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
        // What failed is asked again by the next one.
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
