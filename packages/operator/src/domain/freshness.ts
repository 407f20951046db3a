// How old what is said of now may be, for console and terminal alike.

/** Longer than the longest pause between two requests, and the time for an answer. */
export const FRESH_MS = 120_000;

/** Whether the app answers at all is asked often: such an answer is old sooner. The clocks of app and reader may differ by more than half of it. */
export const ANSWERED_MS = 50_000;

/** Whether an answer says what was so recently: something between may keep an old one, and give it again. @param now the app's time, in ms */
export function isOfNow(answer: unknown, now: number, withinMs: number = FRESH_MS): boolean {
  const { asOf } = Object(answer) as { readonly asOf?: string };
  return asOf === undefined || now - Date.parse(asOf) <= withinMs;
}
