// A value in the result of a step: plain JSON, nested within limits.

type Plain = string | number | boolean | null;
type Nested<Inner> = Plain | readonly Inner[] | { readonly [name: string]: Inner };

/** A value in a result, with lists and objects in it: with the result itself as many levels as record-limits.ts has (`RESULT_LEVELS`). */
export type ResultValue = Nested<Nested<Nested<Nested<Plain>>>>;
