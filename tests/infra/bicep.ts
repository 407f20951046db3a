// What a Bicep file declares, and what its variables hold as text, for tests that compare. deploy.ts says what it comes to, and compiled.test.ts
// whether it holds together.

export function declared(text: string) {
  return {
    params: [...text.matchAll(/^param (\w+) \S+( =)?/gm)].map(([, name = "", usual]) => ({ name, required: !usual })),
    outputs: [...text.matchAll(/^output (\w+) /gm)].map(([, name = ""]) => name),
    /** Type and version, as in `Microsoft.Web/sites@2025-03-01`; nested ones as they are written. */
    resources: [...text.matchAll(/^ *resource \w+ '([^']+)'/gm)].map(([, type = ""]) => type),
  };
}

/** The members of the object that a variable is set to, each with its value as it is written. */
export function membersOf(text: string, variable: string): [name: string, value: string][] {
  const [, object] = new RegExp(`^var ${variable} = [^]*?\\{\\n([^]*?)^ *\\}$`, "m").exec(text) ?? [];
  if (object === undefined) throw new Error(`there is no object ${variable}`);
  return [...object.matchAll(/^ +'?([\w-]+)'?: (.*)$/gm)].map(([, name = "", value = ""]) => [name, value]);
}

/** A text without its quotes; undefined of any other expression. */
export const literalOf = (value: string): string | undefined => /^'(.*)'$/.exec(value)?.[1];
