// A path in a document, as the text of a condition or a query has it.

/** Quoted throughout: a step may have a name that is a keyword there, as `job` and `value` are. */
export function documentPath(...names: readonly string[]): string {
  return `c${names.map((name) => `[${JSON.stringify(name)}]`).join("")}`;
}
