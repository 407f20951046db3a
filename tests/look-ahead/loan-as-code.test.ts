// A look ahead: the loan as code, over the same record and the same decisions of scheduler and supervisor. See ADR 25.
import { workflowFaults } from "@scheduler-agent-supervisor/core/internal/domain/workflows/workflow-faults";
import { describe, expect, test } from "vitest";
import { createCodeWorld, Died, type Reply, type Services } from "./code-world.ts";
import { type Loan, loan } from "./loan.ts";
import { loanAsData, rules } from "./loan-as-data.ts";
import { type Flow, OtherCode, replay, step } from "./workflow-as-code.ts";

const DAY_MS = 86_400_000;
const LOAN: Loan = { amount: 100, collaterals: ["house", "car"] };
const done = (result: Record<string, number | string> = {}): Reply => ({ kind: "done", result });

/** @param score below 600 a person is asked */
const services =
  (score: number, changes: { readonly [operation: string]: Reply } = {}): Services =>
  (operation) =>
    changes[operation] ??
    ({ score: done({ score }), appraise: done({ value: 60 }), ask: { kind: "accepted" }, send: { kind: "accepted" } }[
      operation
    ] as Reply | undefined) ??
    done();

const ROUTE = { endpoint: "http://127.0.0.1/", because: "the only one" };
const signed = { kind: "done", result: {}, ...ROUTE } as const;

async function begun(own: Services) {
  const world = createCodeWorld(loan, LOAN, own);
  await world.submit();
  await world.drive();
  return world;
}

async function statesOf(world: ReturnType<typeof createCodeWorld<Loan>>) {
  const { steps } = await world.record();
  return Object.fromEntries(Object.entries(steps).map(([name, { state }]) => [name, state]));
}

test("the steps of a branch run side by side, the rule stands in the language, and the signature is waited for", async () => {
  const world = await begun(services(700));
  expect(await statesOf(world)).toEqual({
    ...{ identity: "Completed", score: "Completed", appraise1: "Completed", appraise2: "Completed" },
    sign1: "Awaiting",
  });
  await world.report("sign1", signed);
  await world.drive();
  expect(await world.record()).toMatchObject({
    processState: "Processed",
    attempt: 1,
    steps: { payOut: { state: "Completed" } },
  });
});

test("a branch: with a lower score a person is asked first; her no ends the loan, because the code catches it", async () => {
  const world = await begun(services(500));
  expect(await statesOf(world)).toMatchObject({ approve: "Awaiting" });
  expect((await world.record()).steps["approve"]).toMatchObject({ assignee: "underwriters" });
  await world.report("approve", { kind: "rejected", message: "no", ...ROUTE });
  await world.drive();
  expect(await world.record()).toMatchObject({ processState: "Processed" });
  expect(await statesOf(world)).toMatchObject({ approve: "Skipped" });
  expect([...world.effects.keys()].join()).not.toContain("payOut");
});

test("a loop: a signature that never comes is asked for once more, then the loan is compensated, in the reverse order", async () => {
  const world = await begun(services(700));
  for (let waits = 0; waits < 4; waits += 1) {
    world.pass(15 * DAY_MS);
    await world.sweep();
    await world.drive();
  }
  const record = await world.record();
  expect(await statesOf(world)).toMatchObject({ sign1: "Skipped", appraise1: "Compensated", appraise2: "Compensated" });
  expect(record).toMatchObject({ processState: "Compensated", direction: "compensate", error: { step: "sign2" } });
  expect([...world.effects.keys()].filter((key) => key.includes("compensate"))).toHaveLength(4);
});

test("a step that the code does not catch compensates what was done", async () => {
  const world = await begun(services(700, { appraise: { kind: "rejected", message: "no such house" } }));
  expect(await world.record()).toMatchObject({ processState: "Compensated", error: { kind: "rejected" } });
});

describe("the driver dies, and the next one knows nothing but the record", () => {
  test("at each call, before it or when it has taken effect: the same steps, the same keys, the same end", async () => {
    const whole = await begun(services(700));
    await whole.report("sign1", signed);
    await whole.drive();
    const expected = [...whole.effects.keys()].sort();
    let deaths = 0;
    for (let hasDied = true; hasDied; deaths += 1) {
      const world = createCodeWorld(loan, LOAN, services(700));
      await world.submit();
      world.dieAt(deaths + 1);
      const go = async () => {
        await world.drive();
        if ((await world.record()).steps["sign1"]?.state === "Awaiting") await world.report("sign1", signed);
        await world.drive();
      };
      hasDied = await go().then(
        () => false,
        (cause: unknown) => {
          if (cause instanceof Died) return true;
          throw cause;
        },
      );
      world.dieAt(Number.POSITIVE_INFINITY);
      await go();
      expect((await world.record()).processState, `call ${deaths + 1}`).toBe("Processed");
      expect([...world.effects.keys()].sort(), `call ${deaths + 1}`).toEqual(expected);
    }
    expect(deaths).toBeGreaterThan(20);
  });
});

test("code that does not ask for a step that its job has is another code: the job is not continued with it", async () => {
  const world = await begun(services(700));
  const { steps } = await world.record();
  function* other(): Flow<void> {
    yield* step("identity", {
      agent: "registry",
      operation: "check",
      completeWithin: "PT10S",
      compensation: "nothing",
    });
  }
  const base = {
    name: "loan",
    version: 1,
    policy: { failureThreshold: 1, waits: [], onExhausted: "fail", onRejected: "fail" },
  } as const;
  expect(() => replay(other, LOAN, base, steps)).toThrow(OtherCode);
});

test("the loan as data, which the code is compared with, is a workflow that can run", () => {
  const operations = ["check", "score", "appraise", "withdraw", "ask", "send", "pay"];
  const facts = { operations, transports: ["activity", "queue"] as const };
  const agents = new Map(loanAsData.steps.map(({ agent }) => [agent, facts]));
  const known = { conditions: Object.keys(rules.conditions), lists: Object.keys(rules.lists) };
  expect(workflowFaults(loanAsData, agents, known)).toEqual([]);
});
