// The examples of docs/how-to/testing.md are from the tests beside this one and from the template of new apps, word by word.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const page = readFileSync(join(ROOT, "docs/how-to/testing.md"), "utf8");
const withoutIndent = (text: string) => text.replaceAll(/^ +/gm, "").trim();

const examples = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code = ""]) => withoutIndent(code));
const tests = globSync("{tests/kit/*.test,templates/app/t*/*}.ts", { cwd: ROOT })
  .filter((file) => !file.endsWith("how-to.test.ts"))
  .map((file) => withoutIndent(readFileSync(join(ROOT, file), "utf8")))
  .join("\n");

test("there are examples", () => expect(examples.length).toBeGreaterThan(8));

test.each(examples)("a test has it: %s", (example) => expect(tests).toContain(example));
