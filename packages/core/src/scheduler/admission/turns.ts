// The jobs that this process takes in at this moment, by fairness key: from their admission until they are claimed.

export interface Turns {
  taken(key: string): number;
  /** @returns what ends the turn */
  take(key: string): () => void;
  /** Resolves when a turn of the key ends. */
  next(key: string): Promise<void>;
}

export function createTurns(): Turns {
  const taken = new Map<string, number>();
  const ends = new Map<string, PromiseWithResolvers<void>>();

  function end(key: string): void {
    const left = (taken.get(key) ?? 1) - 1;
    if (left > 0) taken.set(key, left);
    else taken.delete(key);
    ends.get(key)?.resolve();
    ends.delete(key);
  }

  return {
    taken: (key) => taken.get(key) ?? 0,
    take(key) {
      taken.set(key, (taken.get(key) ?? 0) + 1);
      let hasEnded = false;
      return () => {
        if (!hasEnded) end(key);
        hasEnded = true;
      };
    },
    next(key) {
      const waited = ends.get(key) ?? Promise.withResolvers<void>();
      ends.set(key, waited);
      return waited.promise;
    },
  };
}
