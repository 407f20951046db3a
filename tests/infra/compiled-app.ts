// The Bicep of an app that was made by `npm run new`, compiled by Microsoft's compiler.
import { expect } from "vitest";
import { openCompiler } from "./compiler.ts";

/** @param skip called with the reason where there is no compiler */
export async function compilesWithoutWarning(app: string, skip: (reason: string) => void): Promise<void> {
  const compiler = await openCompiler(app);
  if (typeof compiler === "string") return skip(compiler);
  try {
    for (const file of ["infra/main.bicep", "infra/checks/production.bicepparam"])
      expect(await compiler.build(file)).toEqual({ isDone: true, diagnostics: [] });
  } finally {
    compiler.end();
  }
}
