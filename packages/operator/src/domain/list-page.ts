// Pages of what is listed by its instant, the newest first: none is shown twice or left out, also where many have one instant.

/** The jobs that await a report on a page: as many as the console reads at once. */
export const MOST_ON_A_PAGE = 500;

/** The end of a page: the next one begins after it. */
export interface ListPosition {
  readonly at: string;
  /** Those of that same instant that were shown. */
  readonly shown: readonly string[];
}

export interface ListPage<Entry> {
  readonly entries: readonly Entry[];
  /** Absent on the last page. */
  readonly next?: ListPosition;
}

/** @param found after that position, one more than the limit if there are more */
export function pageOf<Entry extends { readonly at: string; readonly id: string }>(
  found: readonly Entry[],
  limit: number,
  after: ListPosition | undefined,
): ListPage<Entry> {
  const entries = found.slice(0, limit);
  const last = entries.at(-1);
  if (found.length <= limit || !last) return { entries };
  const shown = entries.filter(({ at }) => at === last.at).map(({ id }) => id);
  return { entries, next: { at: last.at, shown: [...(after?.at === last.at ? after.shown : []), ...shown] } };
}
