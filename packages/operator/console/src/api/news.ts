// Whether something has happened since the last look: then the lists are read again at once, and not only when it is their turn.

/** What `GET /api/changes` answers. */
interface Answered {
  readonly process: string;
  readonly count: number;
}

/** Two readings for one change: what has happened may be counted a moment before it is stored. */
const READINGS = 2;
/** While much happens, the lists are read no more often. */
const APART_MS = 15_000;

export interface News {
  /** @returns whether to read the lists again. @param at milliseconds */
  isNews(answered: Answered, at: number): boolean;
}

/** Of several processes that answer in turn each has its own count. */
export function createNews(): News {
  const counts = new Map<string, number>();
  let wanted = 0;
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    isNews({ process, count }, at) {
      const before = counts.get(process);
      const isFirst = counts.size === 0;
      counts.set(process, count);
      // Of a process that has not answered before it is not known what it had counted when the lists were read.
      if (!isFirst && count !== (before ?? 0)) wanted = READINGS;
      if (wanted === 0 || at - readAt < APART_MS) return false;
      wanted -= 1;
      readAt = at;
      return true;
    },
  };
}
