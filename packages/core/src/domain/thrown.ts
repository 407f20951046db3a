// What was thrown, and what a call failed by, as text. JavaScript can throw anything: `String` itself throws for some objects, and so does a getter of an error.

const NO_WORDS = "something that cannot be shown as text was thrown";

/** An error that can be read: itself, or one with its words. Never throws. */
export function asError(thrown: unknown): Error {
  try {
    const { message, stack } = thrown as Error;
    if (thrown instanceof Error && typeof message === "string" && typeof (stack ?? "") === "string") return thrown;
  } catch {
    // It can't be read.
  }
  return new Error(inWords(thrown));
}

/** `instanceof` throws for some proxies. */
export function isThrown<Kind>(kind: abstract new (...given: never[]) => Kind, thrown: unknown): thrown is Kind {
  try {
    return thrown instanceof kind;
  } catch {
    return false;
  }
}

/** With its name: `TypeError: x is not a function`. Never throws. */
export function inWords(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return NO_WORDS;
  }
}

/** The message of an error alone. Never throws. */
export function messageOf(thrown: unknown): string {
  try {
    const message: unknown = thrown instanceof Error ? thrown.message : thrown;
    return String(message);
  } catch {
    return NO_WORDS;
  }
}

/** What complete-by cut off: it says as much as is known. */
export const CUT_OFF = "no answer before complete-by";

const NO_CALLS = "gets no calls: ";
const BEFORE_CUT_OFF = `${CUT_OFF}; before that `;

/** The error of a call that got no place, as its endpoint's breaker was open. */
export const noCallsBecause = (error: string): string => `${NO_CALLS}${error}`;

/** @param error of the try before, if there was one */
export const cutOffAfter = (error: string | undefined): string =>
  error === undefined ? CUT_OFF : `${BEFORE_CUT_OFF}${underlyingError(error)}`;

/**
 * How a call ended says nothing of why its service could not do it: both stand in one message, and jobs with one underlying error have one cause. The
 * message without how its call ended, if it names an error from before that.
 */
export function underlyingError(message: string): string {
  const prefix = [NO_CALLS, BEFORE_CUT_OFF].find((each) => message.startsWith(each));
  return prefix === undefined ? message : underlyingError(message.slice(prefix.length));
}
