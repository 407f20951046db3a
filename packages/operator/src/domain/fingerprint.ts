// A fault's message without the parts that differ between jobs: jobs are grouped by it as their cause.

/** Increased with each change of the rules below: groups of two versions are never treated as one. */
export const FINGERPRINT_VERSION = 1;

const LIMIT = 160;

/** In this sequence: an id contains numbers, and an address contains ids. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "#"],
  [/\b\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?/g, "#"],
  [/\b0x[0-9a-f]+\b/gi, "#"],
  [/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi, "#"],
  // A name with digits in it, such as a job's id or a token, is one unit and not several.
  [/\b[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*[-_](?=[A-Za-z0-9]*\d)[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*/g, "#"],
  [/\d+(?:[.,:]\d+)*/g, "#"],
  [/\s+/g, " "],
];

/** The same for messages that differ only in numbers, ids and times; null for an empty message. */
export function fingerprintOf(message: string): string | null {
  const text = VARYING.reduce((left, [varying, mark]) => left.replace(varying, mark), message).trim();
  return text === "" ? null : text.slice(0, LIMIT);
}
