// What is left of a fault's message when all that differs from job to job is taken out: by it jobs are grouped by their cause.

/** One more with each change of the rules below: groups of two versions are never taken for one. */
export const FINGERPRINT_VERSION = 1;

const LIMIT = 160;

/** One after the other: an id holds numbers, and an address holds ids. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "#"],
  [/\b\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?/g, "#"],
  [/\b0x[0-9a-f]+\b/gi, "#"],
  [/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi, "#"],
  // A name with digits in it, as a job's id or a token, is one thing and not several.
  [/\b[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*[-_](?=[A-Za-z0-9]*\d)[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*/g, "#"],
  [/\d+(?:[.,:]\d+)*/g, "#"],
  [/\s+/g, " "],
];

/** The same for messages that differ in numbers, ids and times alone; null for one that says nothing. */
export function fingerprintOf(message: string): string | null {
  const text = VARYING.reduce((left, [varying, mark]) => left.replace(varying, mark), message).trim();
  return text === "" ? null : text.slice(0, LIMIT);
}
