// An answer of the store that is kept for some seconds: what it costs does not grow with those who ask.

const KEPT_MS = 5000;

/** The last answer for some seconds; who asks while it is on its way waits for that one. */
export function remembered<T>(now: () => number, read: () => Promise<T>, keptMs = KEPT_MS) {
  let last: { readonly at: number; readonly answer: Promise<T> } | undefined;
  return {
    read(): Promise<T> {
      if (last && now() - last.at < keptMs) return last.answer;
      const answer = read();
      const current = { at: now(), answer };
      last = current;
      // What failed is asked again by the next one.
      answer.catch(() => {
        if (last === current) last = undefined;
      });
      return answer;
    },
    forget(): void {
      last = undefined;
    },
  };
}
