// What was thrown, as text. JavaScript can throw anything: `String` itself throws for some objects, and so does a getter of an error.

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
