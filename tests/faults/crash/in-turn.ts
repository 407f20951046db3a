// So many at once, and the others in their turn.

export type Turn = <T>(work: () => Promise<T>) => Promise<T>;

export function inTurn(atOnce: number): Turn {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
