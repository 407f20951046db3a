// Processes that start at once share the cores, and on a busy machine each would take longer than a start may. So few start at a time.

/** @returns waits for a turn; the answer ends it, and may be called again without effect */
export function startTurns(atOnce: number): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  return async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    };
  };
}
