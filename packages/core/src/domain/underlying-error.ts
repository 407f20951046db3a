// How a call ended says nothing of why its service could not do it: both stand in one message, and jobs with one underlying error have one cause.

/** What complete-by cut off: it says as much as is known. */
export const CUT_OFF = "no answer before complete-by";

const NO_CALLS = "gets no calls: ";
const BEFORE_CUT_OFF = `${CUT_OFF}; before that `;

/** The error of a call that got no place, as its endpoint's breaker was open. */
export const noCallsBecause = (error: string): string => `${NO_CALLS}${error}`;

/** @param error of the try before, if there was one */
export const cutOffAfter = (error: string | undefined): string =>
  error === undefined ? CUT_OFF : `${BEFORE_CUT_OFF}${underlyingError(error)}`;

/** The message without how its call ended, if it names an error from before that. */
export function underlyingError(message: string): string {
  const prefix = [NO_CALLS, BEFORE_CUT_OFF].find((each) => message.startsWith(each));
  return prefix === undefined ? message : underlyingError(message.slice(prefix.length));
}
