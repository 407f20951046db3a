// A query that cannot be run: wrong syntax, or something this server does not support; answered as a 400 that names it.

export class QueryFault extends Error {
  override readonly name = "QueryFault";
}

export const NOT_A_PATH = "ORDER BY takes properties, and no expressions of them.";

/** A chain of thousands of operators is a tree as deep, which is gone through by recursion. */
export const isTooDeep = (cause: unknown) => cause instanceof RangeError && cause.message.includes("call stack");
