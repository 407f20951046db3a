// What may be wrong with steps that may be skipped, replaced or done for each item, and how a job's steps follow from them.
import { describe, expect, test } from "vitest";
import { type KnownAgents, policyFor, type Workflow, type WorkflowStep } from "../definition/workflow.ts";
import { expandedSteps } from "../record/expand.ts";
import { NOT_STARTED, type Steps } from "../record/state-record.ts";
import { workflowFaults } from "./workflow-faults.ts";

const agents: KnownAgents = new Map([["inventory", { operations: ["reserve", "release"], transports: ["activity"] }]]);
const rules = { conditions: ["isHeavy"], lists: ["lines"] };

const step = (name: string, after: readonly string[], more: Partial<WorkflowStep> = {}): WorkflowStep => ({
  name,
  agent: "inventory",
  operation: "reserve",
  after,
  completeWithin: "PT1S",
  compensation: { operation: "release", completeWithin: "PT1S" },
  ...more,
});

const flow = (...steps: readonly WorkflowStep[]): Workflow => ({
  name: "w",
  version: 1,
  steps,
  policy: { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "fail" },
});

const stepsOf = (...names: readonly string[]): Steps =>
  Object.fromEntries(
    names.map((name) => [
      name,
      { ...NOT_STARTED, agent: "inventory", result: null, compensation: null, generation: 1 },
    ]),
  );

describe("P5 their faults", () => {
  const faulty: [string, Workflow, string][] = [
    ["an unknown condition", flow(step("a", [], { when: "isLight" })), "no condition isLight; there are isHeavy"],
    ["an unknown list", flow(step("a", [], { forEach: "parcels" })), "no list parcels; there are lines"],
    [
      "a name that has no room for the number of an item",
      flow(step("aNameOfTwentyFiveLetters", [], { forEach: "lines" })),
      "at most 22 letters and digits",
    ],
    [
      "a step that needs what it does not wait for",
      flow(step("a", []), step("b", [], { needs: ["a"] })),
      "needs a, which has to stand in after too",
    ],
    [
      "a step that may be skipped and only a person can compensate",
      flow(step("a", [], { optional: true, compensation: "manual" })),
      "can't be compensated manually",
    ],
    ["a spare that is no step", flow(step("a", [], { otherwise: "b" })), "otherwise b is no step"],
    [
      "a spare that comes after something else",
      flow(step("a", [], { otherwise: "b" }), step("b", [])),
      "has to come after a and nothing else",
    ],
    [
      "a spare of two",
      flow(step("a", [], { otherwise: "c" }), step("b", [], { otherwise: "c" }), step("c", ["a"])),
      "c stands in for two steps",
    ],
    [
      "a spare for another list",
      flow(step("a", [], { otherwise: "b", forEach: "lines" }), step("b", ["a"])),
      "needs the same forEach",
    ],
    ["a list of no step", flow(step("a", [], { forEach: "b.parts" })), "forEach b.parts: there is no step b"],
    ["a list of its own", flow(step("a", [], { forEach: "a.parts" })), "forEach a.parts: a has to come before it"],
    [
      "a list of a step beside it",
      flow(step("a", []), step("b", [], { forEach: "a.parts" })),
      "forEach a.parts: a has to come before it: name it, or a step after it, in after",
    ],
    [
      "a list of a step that has several results",
      flow(step("a", [], { forEach: "lines" }), step("b", ["a"], { forEach: "a.parts" })),
      "forEach a.parts: a is done for each item, and has no one result",
    ],
    [
      "a list of a step that another may replace",
      flow(step("a", [], { otherwise: "c" }), step("c", ["a"]), step("b", ["a"], { forEach: "a.parts", needs: ["a"] })),
      "forEach a.parts: a may be replaced by c, which has another result",
    ],
    ...(["optional", "when", "needs"] as const).map((member): [string, Workflow, string] => [
      `a list of a step that may be skipped, by ${member}`,
      flow(
        step("z", [], { optional: true }),
        step("a", ["z"], { optional: { optional: true }, when: { when: "isHeavy" }, needs: { needs: ["z"] } }[member]),
        step("b", ["a"], { forEach: "a.parts" }),
      ),
      "forEach a.parts: a may be skipped, and then there is no list: name it in needs",
    ]),
    [
      "an assignee by a rule",
      flow(step("a", [], { awaitWithin: "P1D", assignee: { rule: "x" } as unknown as string })),
      "assignee must be a text such as underwriters",
    ],
    [
      "an assignee of a step that waits for nobody",
      flow(step("a", [], { assignee: "clerks" })),
      "assignee: the step has no awaitWithin",
    ],
    [
      "an output of a step that has several results",
      { ...flow(step("a", [], { forEach: "lines" })), outputs: { id: "a.id" } },
      "has no one result",
    ],
  ];

  test.each(faulty)("%s", (_, workflow, words) =>
    expect(workflowFaults(workflow, agents, rules).join("\n")).toContain(words),
  );

  test("all shapes together have none", () => {
    const whole = flow(
      step("a", [], { optional: true, when: "isHeavy" }),
      step("b", ["a"], { forEach: "lines", otherwise: "c", needs: ["a"] }),
      step("c", ["b"], { forEach: "lines", optional: true }),
      step("d", ["b"]),
    );
    expect(workflowFaults(whole, agents, rules)).toEqual([]);
  });

  test("a list of a step that comes before, also of one that may be skipped, has none", () => {
    const whole = flow(
      step("a", [], { optional: true }),
      step("b", ["a"], { forEach: "a.parts", needs: ["a"], otherwise: "c" }),
      step("c", ["b"], { forEach: "a.parts" }),
      step("d", ["b"]),
      step("e", ["d"], { forEach: "d.parts", assignee: "clerks", awaitWithin: "P1D" }),
      step("f", ["e"], { forEach: "d.parts" }),
    );
    expect(workflowFaults(whole, agents, rules)).toEqual([]);
  });
});

test("P5 until its list is recorded a step has one record, and the steps after it wait for that", () => {
  const workflow = flow(step("a", []), step("b", ["a"], { forEach: "a.parts" }), step("c", ["b"]));
  const names = (steps: Steps) => expandedSteps(workflow, steps).map(({ name, after }) => [name, ...after]);
  expect(names(stepsOf("a", "b", "c"))).toEqual([["a"], ["b", "a"], ["c", "b"]]);
  expect(names(stepsOf("a", "c"))).toEqual([["a"], ["c"]]);
  expect(names(stepsOf("a", "b_1", "b_2", "c"))).toEqual([["a"], ["b_1", "a"], ["b_2", "a"], ["c", "b_1", "b_2"]]);
});

test("P5 a job's steps: a run for each item, each after all that it has to wait for", () => {
  const workflow = flow(
    step("a", []),
    step("b", ["a"], { forEach: "lines", otherwise: "c" }),
    step("c", ["b"], { forEach: "lines" }),
    step("d", ["b"], { needs: ["b"] }),
  );
  const steps = stepsOf("a", "b_1", "b_2", "c_1", "c_2", "d");
  const shown = expandedSteps(workflow, steps).map(({ name, after, otherwise, needs }) => ({
    name,
    after,
    ...(otherwise && { otherwise }),
    ...(needs && { needs }),
  }));
  expect(shown).toEqual([
    { name: "a", after: [] },
    { name: "b_1", after: ["a"], otherwise: "c_1" },
    { name: "b_2", after: ["a"], otherwise: "c_2" },
    { name: "c_1", after: ["b_1"] },
    { name: "c_2", after: ["b_2"] },
    { name: "d", after: ["b_1", "b_2", "c_1", "c_2"], needs: ["b_1", "b_2"] },
  ]);
});

test("P11 the policy of a step's run for an item is the step's", () => {
  const workflow = flow(step("a", [], { forEach: "lines", policy: { failureThreshold: 7 } }));
  expect(policyFor(workflow, "a_12").failureThreshold).toBe(7);
  const optional = flow(step("a", [], { optional: true }), step("b", ["a"]));
  expect(policyFor(optional, "a")).toMatchObject({ onExhausted: "skip", onRejected: "skip" });
  expect(policyFor(optional, "b")).toMatchObject({ onExhausted: "fail", onRejected: "fail" });
});
