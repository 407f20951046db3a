// Which entries of a history tell of a failure.

/** An entry says in words what happened. */
const FAILED = /fail|expire|not done|past its|overdue|refus|reject|gave up|manually|error/i;
export const isFailure = ({ what }: { readonly what: string }): boolean => FAILED.test(what);
