// The examples of docs/how-to/testing.md and start-another-job.md are from the tests beside this one, the template of new apps and the sample's agent,
// word by word.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const page = ["testing", "start-another-job"]
  .map((name) => readFileSync(join(ROOT, `docs/how-to/${name}.md`), "utf8"))
  .join("\n");
const withoutIndent = (text: string) => text.replaceAll(/^ +/gm, "").trim();

const examples = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code = ""]) => withoutIndent(code));
const tests = globSync("{tests/kit/*.test,templates/app/t*/*,shared/agents/replacement}.ts", { cwd: ROOT })
  .filter((file) => !file.endsWith("how-to.test.ts"))
  .map((file) => withoutIndent(readFileSync(join(ROOT, file), "utf8")))
  .join("\n");

test("there are examples", () => expect(examples.length).toBeGreaterThan(8));

test.each(examples)("a test has it: %s", (example) => expect(tests).toContain(example));
