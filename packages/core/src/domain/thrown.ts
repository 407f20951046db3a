// What code has thrown, as text: it may throw anything, also what has no text.

/** With the error's name. */
export function thrownText(cause: unknown): string {
  try {
    return String(cause);
  } catch {
    return "something that cannot be shown as text was thrown";
  }
}

/** An error's message alone. */
export function thrownMessage(cause: unknown): string {
  try {
    if (cause instanceof Error) return String(cause.message);
  } catch {
    // Its message can't be read either.
  }
  return thrownText(cause);
}
