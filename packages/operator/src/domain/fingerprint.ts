// A fault's message without the parts that differ between jobs: jobs are grouped by it as their cause.
import { underlyingError } from "@scheduler-agent-supervisor/core/domain";

/** Increased with each change of the rules below: groups of two versions are never treated as one. */
export const FINGERPRINT_VERSION = 3;

const LIMIT = 160;

/** In this sequence: an id contains numbers, and an address contains ids. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "#"],
  [/\b\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?/g, "#"],
  [/\b0x[0-9a-f]+\b/gi, "#"],
  [/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi, "#"],
  // A name with digits in it, such as a job's id or a token, is one unit and not several.
  [/\b[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*[-_](?=[A-Za-z0-9]*\d)[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*/g, "#"],
  // The status of an answer is what was answered, and no number of a job.
  [/(?<!\d|\bHTTP )\d+(?:[.,:]\d+)*/g, "#"],
  [/\s+/g, " "],
];

/**
 * The same for messages that differ only in numbers, ids and times; null for an empty message.
 * @param ids what names the job or the message in it, whatever it looks like
 */
export function fingerprintOf(message: string, ids: readonly (string | null)[] = []): string | null {
  const known = ids.filter((id) => id !== null && id.length >= SHORTEST_ID) as string[];
  const anonymous = known.reduce((left, id) => left.replaceAll(wordOf(id), "#"), message);
  const text = VARYING.reduce((left, [varying, mark]) => left.replace(varying, mark), anonymous);
  const bare = text.trim().replace(/[.!]+$/, "");
  return bare === "" ? null : bare.slice(0, LIMIT);
}

/** Shorter ones may be words of the message itself. */
const SHORTEST_ID = 3;

/** Not in the middle of another word. */
const wordOf = (id: string): RegExp =>
  new RegExp(`(?<![A-Za-z0-9_-])${id.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![A-Za-z0-9_-])`, "g");

/** What an endpoint answered, or why it could not be asked; beside it are its words, or the address. */
const ANSWER = /^HTTP \d{3}\b|\b(?:UND_ERR_[A-Z_]+|E[A-Z]{3,}(?:_[A-Z]+)*)\b/;

/** The cause of a technical error: one for the same answer, with the endpoint's words or without them. */
export function technicalCauseOf(message: string): string | null {
  const text = underlyingError(message);
  return ANSWER.exec(text)?.[0] ?? fingerprintOf(text);
}

/** Has words beside what was answered. */
export const hasWords = (message: string): boolean => underlyingError(message) !== technicalCauseOf(message);
