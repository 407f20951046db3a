// A path in a document, in the syntax of a condition or a query.

/** Always quoted: a step's name may be a keyword there, such as `job` and `value`. */
export function documentPath(...names: readonly string[]): string {
  return `c${names.map((name) => `[${JSON.stringify(name)}]`).join("")}`;
}
