// Several of a kind, each of which serves one at a time.

export interface Pool<T> {
  readonly all: readonly T[];
  /** With one that nobody else uses meanwhile, once there is one. */
  use<R>(work: (one: T) => Promise<R>): Promise<R>;
}

export function poolOf<T>(all: readonly T[]): Pool<T> {
  const free = [...all];
  const waiting: ((one: T) => void)[] = [];
  return {
    all,
    async use(work) {
      const one = free.pop() ?? (await new Promise<T>((resolve) => waiting.push(resolve)));
      try {
        return await work(one);
      } finally {
        const next = waiting.shift();
        if (next) next(one);
        else free.push(one);
      }
    },
  };
}
