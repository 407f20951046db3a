// The same loan here, in Durable Functions alone and in Temporal: their lines of code stand in the documentation as they are counted. The one that
// is written here runs in a world; the others are held by the compiler alone.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createWorld, type World } from "@scheduler-agent-supervisor/testing";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../cli/settings.ts";
import { linesOfCode } from "./count-lines.ts";
import { business } from "./loan-here.ts";

const PAGE = join(ROOT, "docs/explanation/where-we-differ.md");
const WRITTEN = [
  ["This project", ["loan-here.ts"]],
  ["Durable Functions alone", ["loan-durable-functions.ts"]],
  ["Temporal", ["loan-temporal.ts", "loan-temporal-worker.ts"]],
] as const;

const countOf = (files: readonly string[]) =>
  files.reduce((sum, file) => sum + linesOfCode(readFileSync(join(ROOT, "tests/compared", file), "utf8")), 0);

test("the README has these numbers too", () => {
  const [here, durable, temporal] = WRITTEN.map(([, files]) => countOf(files));
  const words = `takes ${here} lines here, ${durable} in Durable Functions and ${temporal} in Temporal`;
  expect(readFileSync(join(ROOT, "README.md"), "utf8")).toContain(words);
});

describe("lines of code", () => {
  test("blank lines and comments do not count, and code with a comment behind it does", () => {
    expect(linesOfCode("// a\n\n/** b\n * c\n */\n/* d */\nconst one = 1; // e\n  // f\nconst two = `//`;\n")).toBe(2);
  });

  test.each(WRITTEN)("%s: the page has what is counted", (name, files) => {
    const row = new RegExp(`^\\| ${name} \\|.*\\| (\\d+) \\|`, "m").exec(readFileSync(PAGE, "utf8"));
    expect(Number(row?.[1])).toBe(countOf(files));
  });
});

interface Signed {
  readonly score?: number;
  readonly isSigned?: boolean;
}

async function begun({ score = 700, isSigned = true }: Signed, prepare: (world: World) => void = () => undefined) {
  const world = createWorld({ business });
  world.service("bureau").answers("score", { body: { score } });
  world
    .service("surveyor")
    .answers("appraise", ({ idempotencyKey: key }) => ({ body: { id: `of ${key}`, value: 60 } }));
  world.service("desk").reportsLater("ask", { after: "P1D", result: { approvalId: "a-1" } });
  world.service("office").reportsLater("send", isSigned ? { after: "P13D", result: { contractId: "c-1" } } : {});
  prepare(world);
  const collaterals = ["house", "car"].map((kind) => ({ id: `the-${kind}`, kind }));
  await world.submit({ jobId: "loan-1", applicant: "ada", amount: 100, collaterals });
  await world.run();
  return world;
}

describe("the one that is written here", () => {
  test("is paid out once it is signed", async () => {
    const world = await begun({});
    expect(world.record("loan-1")).toMatchObject({
      processState: "Processed",
      steps: { approve: { state: "Skipped" } },
    });
    expect(world.service("bank").callsOf("pay")).toHaveLength(1);
  });

  test("asks a person where the rule is not sure, and nobody where it declines", async () => {
    expect((await begun({ score: 500 })).steps("loan-1")).toMatchObject({ approve: "Completed", payOut: "Completed" });
    const declined = await begun({ score: 200 });
    expect(declined.record("loan-1").processState).toBe("Compensated");
    expect(declined.service("desk").calls).toHaveLength(0);
    expect(declined.service("surveyor").callsOf("withdraw")).toHaveLength(2);
  });

  test("is compensated where it is not signed within 14 days", async () => {
    const world = await begun({ isSigned: false });
    expect(world.record("loan-1")).toMatchObject({ processState: "Compensated", error: { step: "sign" } });
    expect(world.service("office").callsOf("withdraw")).toHaveLength(1);
  });

  test("is not paid out a second time where the bank's answer was lost", async () => {
    const world = await begun({}, (prepared) => prepared.service("bank").losesAnswer("pay"));
    expect(world.service("bank").callsOf("pay")).toHaveLength(1);
    expect(world.record("loan-1").steps["payOut"]).toMatchObject({ outcomeUnknown: true });
  });
});
