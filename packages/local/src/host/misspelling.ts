// Whether one name is another one, misspelt.

const MOST_EDITS = 2;

/** Whether up to two letters are wrong, missing, too many or exchanged, of a name that is long enough for that; the case is no matter. */
export function isMisspelt(name: string, known: string): boolean {
  const [one, other] = [name.toLowerCase(), known.toLowerCase()];
  const allowed = Math.min(MOST_EDITS, Math.floor(known.length / 4));
  return Math.abs(one.length - other.length) <= allowed && distance(one, other) <= allowed;
}

/** Of Damerau and Levenshtein, with exchanges of neighbours alone. */
function distance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let at = 1; at <= one.length; at += 1) {
    const row = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const cost = one[at - 1] === other[to - 1] ? 0 : 1;
      const above = rows[at - 1] ?? [];
      let least = Math.min((above[to] ?? 0) + 1, (row[to - 1] ?? 0) + 1, (above[to - 1] ?? 0) + cost);
      if (at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1])
        least = Math.min(least, (rows[at - 2]?.[to - 2] ?? 0) + 1);
      row.push(least);
    }
    rows.push(row);
  }
  return rows[one.length]?.[other.length] ?? 0;
}
