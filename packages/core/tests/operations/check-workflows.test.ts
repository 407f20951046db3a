// What the app finds at start about its workflows, against a register in memory.

import { beforeEach, expect, test } from "vitest";
import { checkWorkflows, versionsInUse } from "../../src/app/check-workflows.ts";
import type { StepCompensation, Workflow, WorkflowStep } from "../../src/domain/definition/workflow.ts";
import type { WorkflowContent } from "../../src/domain/definition/workflow-content.ts";
import type { JobsOfVersion, WorkflowRegister } from "../../src/store/workflow-register.ts";
import { CHAIN, GRAPH } from "../jobs.ts";

const NONE = { pending: 0, processing: 0, inError: 0 };
const events: [string, object][] = [];
const telemetry = { event: (name: string, attributes: object) => void events.push([name, attributes]) };
let needed: { [version: number]: JobsOfVersion };
let counts: number;
let register: WorkflowRegister;
beforeEach(() => {
  events.length = 0;
  needed = {};
  counts = 0;
  const entries = new Map<string, WorkflowContent>();
  register = {
    async enter(content) {
      const id = `${content.name}:${content.version}`;
      const first = entries.get(id) ?? content;
      entries.set(id, first);
      return first;
    },
    entered: async () => [...entries.values()],
    isNewer: async () => false,
    async jobs() {
      counts += 1;
      return ({ version }) => needed[version] ?? NONE;
    },
  };
});

const check = (...workflows: Workflow[]) => checkWorkflows(workflows, register, telemetry);
const [first, ...others] = CHAIN.steps;
if (!first) throw new Error("no step");

test("the same workflows are found unchanged at every start, also where they are written another way", async () => {
  await check(CHAIN, GRAPH);
  const { compensation, ...step } = first;
  await check({ ...CHAIN, steps: [{ compensation, transport: "activity", ...step }, ...others] }, GRAPH);
});

const only = (changes: Partial<WorkflowStep>): Workflow => ({ ...CHAIN, steps: [{ ...first, ...changes }, ...others] });
const waits: StepCompensation = { operation: "release", completeWithin: "PT9S", awaitWithin: "PT9M" };

test.each<[string, Workflow]>([
  ["a step's time", only({ completeWithin: "PT9S" })],
  ["the time of a compensation", only({ compensation: { operation: "release", completeWithin: "PT9S" } })],
  ["a step's policy", only({ policy: { onRejected: "compensate" } })],
  ["the policy", { ...CHAIN, policy: { ...CHAIN.policy, failureThreshold: 9, waits: ["PT9M"] } }],
  ["outputs", { ...CHAIN, outputs: {} }],
  ["how long a report may take", only({ awaitWithin: "PT1H" })],
])("times and policies change without a new version: %s", async (_, edited) => {
  const before = edited.steps[0]?.awaitWithin === undefined ? CHAIN : only({ awaitWithin: "PT9M" });
  await check(before, GRAPH);
  await check(edited, GRAPH);
});

test.each<[string, Workflow, string]>([
  ["a step's operation", only({ operation: "other" }), "step reserveStock is changed"],
  ["a step's transport", only({ transport: "queue" }), "step reserveStock is changed"],
  ["a condition", only({ when: "isLarge" }), "step reserveStock is changed"],
  ["a step that may be skipped", only({ optional: true }), "step reserveStock is changed"],
  ["a step that waits for a report now", only({ awaitWithin: "PT1H" }), "step reserveStock is changed"],
  ["a compensation that waits now", only({ compensation: waits }), "step reserveStock is changed"],
  ["a compensation that is gone", only({ compensation: "nothing" }), "step reserveStock is changed"],
  ["a step less", { ...CHAIN, steps: others }, "step reserveStock is gone"],
  ["a step more", { ...CHAIN, steps: [...CHAIN.steps, { ...first, name: "more" }] }, "step more is new"],
])("an edit without a new version is rejected, with what to do: %s", async (_, edited, words) => {
  await check(CHAIN, GRAPH);
  await expect(check(edited, GRAPH)).rejects.toThrow(`workflow job-fulfilment v1: ${words}`);
  await expect(check(edited, GRAPH)).rejects.toThrow("add what is to change as a new version");
  // As a new version it may be.
  await check(CHAIN, GRAPH, { ...edited, version: 3 });
});

test("a version that jobs need has to stay, another one may be retired, and a retired number is not used again", async () => {
  needed[1] = { ...NONE, inError: 2 };
  await check(CHAIN, GRAPH, { ...GRAPH, version: 3 });
  expect(events).toEqual([
    ["WorkflowVersionInUse", { workflow: CHAIN.name, version: 1, state: "needed", ...NONE, inError: 2 }],
    ["WorkflowVersionInUse", { workflow: CHAIN.name, version: 2, state: "mayBeRetired", ...NONE }],
  ]);
  const newest = { ...GRAPH, version: 3 };
  expect((await versionsInUse([CHAIN, newest], register)).map(({ state }) => state)).toEqual([
    "needed",
    "retired",
    "newest",
  ]);
  await expect(check(CHAIN, { ...CHAIN, version: 2 }, newest)).rejects.toThrow("v2");
});

test("the jobs of the newest versions are not counted at start, and those of all others are counted once", async () => {
  await check({ ...CHAIN, name: "one" }, GRAPH);
  expect(counts).toBe(0);
  await check({ ...CHAIN, name: "one" }, { ...CHAIN, name: "one", version: 2 }, { ...GRAPH, version: 4 });
  expect(counts).toBe(1);
});

test("after a rollback, or a version retired too early, its jobs are said to be missing it, and nothing is rejected", async () => {
  await check(CHAIN, GRAPH);
  events.length = 0;
  needed[2] = { ...NONE, pending: 3 };
  await check(CHAIN);
  expect(await versionsInUse([CHAIN], register)).toMatchObject([{ state: "newest" }, { state: "missing", version: 2 }]);
  expect(events).toMatchObject([["WorkflowVersionMissing", { version: 2, pending: 3 }]]);
});
