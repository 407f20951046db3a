// The limits that keep a state record small (P2): with the most runs, each with the largest result and texts, it fits into one document of Cosmos DB.
import type { StepRun } from "./state-record.ts";

/** "Azure Cosmos DB service quotas": the largest document, and the largest request, in UTF-8. */
export const DOCUMENT_BYTES = 2 * 1024 * 1024;
/** The most runs of a job's steps: a step with `forEach` may have one for each item. */
export const MOST_RUNS = 100;
/** The largest result of a step, as JSON: some ids or a short list, no documents. */
export const RESULT_BYTES = 4096;
/** How deep a result may be nested: its members are the first level. */
export const RESULT_LEVELS = 5;
/** The longest error, or message of a service, as JSON. */
const MESSAGE_BYTES = 1000;
/** What names a place, and why it was chosen. */
const NAME_BYTES = 300;
const PROGRESS_BYTES = 500;
const ENTRY_BYTES = 600;
/** With more entries in the history than this, an agent's notes change only its step's own run. A supervisor's or an operator's write keeps the last 100. */
export const MOST_NOTED = 200;

const encoder = new TextEncoder();

export function jsonBytes(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}

/** The start of the text, as long as it fits: a control character takes six bytes. */
function cut(text: string, mostBytes: number): string {
  // Each UTF-16 unit takes at most six bytes.
  if (text.length * 6 + 2 <= mostBytes || jsonBytes(text) <= mostBytes) return text;
  let [fits, tooLong] = [0, Math.min(text.length, mostBytes)];
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (jsonBytes(text.slice(0, middle)) <= mostBytes) fits = middle;
    else tooLong = middle;
  }
  // A cut within a character would make a text that the store rejects.
  return text.slice(0, fits).toWellFormed();
}

export const asMessage = (text: string): string => cut(text, MESSAGE_BYTES);

/** What an entry of the history says. */
export const asEntry = (text: string): string => cut(text, ENTRY_BYTES);

/** The change of a run, with the texts that come from outside cut to their limits. */
export function withinLimits(change: Partial<StepRun>): Partial<StepRun> {
  const { error, endpoint, because, expiry, accepted } = change;
  return {
    ...change,
    ...(error && { error: asMessage(error) }),
    ...(endpoint && { endpoint: cut(endpoint, NAME_BYTES) }),
    ...(because && { because: cut(because, NAME_BYTES) }),
    ...(expiry && { expiry: expiryWithinLimits(expiry) }),
    ...(accepted && { accepted: acceptanceWithinLimits(accepted) }),
  };
}

function expiryWithinLimits(expiry: NonNullable<StepRun["expiry"]>): NonNullable<StepRun["expiry"]> {
  const { endpoint, message } = expiry;
  return { ...expiry, endpoint: endpoint && cut(endpoint, NAME_BYTES), message: asMessage(message) };
}

function acceptanceWithinLimits(accepted: NonNullable<StepRun["accepted"]>): NonNullable<StepRun["accepted"]> {
  const { reference, progress } = accepted;
  return {
    ...accepted,
    ...(reference !== undefined && { reference: asMessage(reference) }),
    ...(progress !== undefined && { progress: cut(progress, PROGRESS_BYTES) }),
  };
}
