import { type KnownAgents, levelsOf, policyFor, workflowFaults } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow, WorkflowStep } from "@scheduler-agent-supervisor/core/workflows";
import { describe, expect, test } from "vitest";
import { CHAIN, GRAPH } from "../../tests/support/orders.ts";
import { returns } from "../workflows/returns.ts";

const agents: KnownAgents = new Map([
  ["inventory", { operations: ["reserve", "release", "restock", "withdraw"], transports: ["activity", "queue"] }],
  ["payment", { operations: ["authorize", "void", "capture", "refund", "refundReturn"], transports: ["activity"] }],
  ["fraud", { operations: ["check"], transports: ["activity", "queue"] }],
  ["shipping", { operations: ["arrange", "cancel", "pickUp", "cancelPickUp"], transports: ["activity"] }],
  ["refunds", { operations: ["reserve", "release"], transports: ["activity"] }],
  ["engraving", { operations: ["engrave"], transports: ["queue"] }],
]);
const step: WorkflowStep = {
  name: "one",
  agent: "inventory",
  operation: "reserve",
  after: [],
  completeWithin: "PT1S",
  compensation: "nothing",
};
const policy = { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "fail" } as const;
const flow = (steps: readonly WorkflowStep[], changes: Partial<Workflow> = {}): Workflow => ({
  name: "w",
  version: 1,
  steps,
  policy,
  ...changes,
});

test("P5 the levels of the graph: what does not wait for each other stands side by side", () => {
  expect(levelsOf(GRAPH).map((level) => level.map(({ name }) => name))).toEqual([
    ["reserveStock"],
    ["takePayment", "checkFraud"],
    ["arrangeShipping"],
    ["capturePayment"],
  ]);
});

test("P11 a step's own policy goes over the workflow's", () => {
  expect(policyFor(GRAPH, "takePayment").onRejected).toBe("fail");
  expect(policyFor(GRAPH, "reserveStock").onRejected).toBe("compensate");
  expect(policyFor(GRAPH, undefined)).toEqual(GRAPH.policy);
});

describe("P5 a workflow's faults", () => {
  test.each([
    ["chain", CHAIN],
    ["graph", GRAPH],
    ...returns.map((workflow): [string, Workflow] => [`returns v${workflow.version}`, workflow]),
  ] as [string, Workflow][])("%s has none", (_, workflow) => expect(workflowFaults(workflow, agents)).toEqual([]));

  test("all are named at once", () => {
    const faults = workflowFaults(
      flow(
        [
          { ...step, agent: "nobody", completeWithin: "soon" },
          {
            ...step,
            name: "a-b",
            after: ["zero"],
            operation: "juggle",
            compensation: { operation: "unjuggle", completeWithin: "PT1H" },
          },
        ],
        { policy: { ...policy, failureThreshold: 0, waits: ["later"] } },
      ),
      agents,
    ).join("\n");
    for (const named of ["nobody", "soon", "a-b", "zero", "juggle", "unjuggle", "PT1H", "failureThreshold", "later"]) {
      expect(faults).toContain(named);
    }
  });

  test("a missing compensation, from a workflow that was written without types", () => {
    const { compensation, ...without } = step;
    expect(workflowFaults(flow([without as WorkflowStep]), agents).join()).toContain("compensation is missing");
  });

  test("a circle, no steps, a name twice; as many side by side as there are", () => {
    const circle = [
      { ...step, after: ["two"] },
      { ...step, name: "two", after: ["one"] },
    ];
    expect(workflowFaults(flow(circle), agents).join()).toContain("one, two wait for each other");
    expect(workflowFaults(flow([]), agents).join()).toContain("no steps");
    expect(workflowFaults(flow([step, step]), agents).join()).toContain("same name");
    const wide = ["a", "b", "c", "d", "e"].map((name) => ({ ...step, name }));
    expect(workflowFaults(flow(wide), agents)).toEqual([]);
  });
});

test("P7 an agent that is elsewhere can only be asked over its queue, and one without a queue only be called", () => {
  const elsewhere = { ...step, agent: "engraving", operation: "engrave" };
  expect(workflowFaults(flow([elsewhere]), agents)).toEqual([
    'workflow w v1, step one: agent engraving can\'t be reached as activity; it can by transport: "queue"',
  ]);
  expect(workflowFaults(flow([{ ...elsewhere, transport: "queue" }]), agents)).toEqual([]);
  const called = { ...step, agent: "shipping", operation: "arrange", transport: "queue" } as const;
  expect(workflowFaults(flow([called]), agents).join()).toContain("can't be reached as queue");
});
