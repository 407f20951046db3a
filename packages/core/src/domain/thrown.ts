// What was thrown, as text. JavaScript can throw anything: `String` itself throws for some objects, and so does a getter of an error.

const NO_WORDS = "something that cannot be shown as text was thrown";

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
