// What a Bicep file declares, and what its variables hold as text, for tests that compare. evaluate.ts says what it comes to, and compiled.test.ts
// whether it holds together.
import { parseBicep } from "./bicep-expressions.ts";

export function declared(text: string) {
  const all = parseBicep(text);
  return {
    params: all.flatMap(({ kind, name, body }) => (kind === "param" ? [{ name, required: body === undefined }] : [])),
    outputs: all.flatMap(({ kind, name }) => (kind === "output" ? [name] : [])),
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
