// What a workflow names and is not there does not compile, and the app does not start with it.
import { expect, test } from "vitest";
import { defineWorkflow, POLICY as policy, publishing, videos } from "../../tests/videos.ts";
import { loadWorkflows } from "../domain/workflows/workflows.ts";

const step = {
  name: "one",
  agent: "storage",
  operation: "keep",
  after: [],
  completeWithin: "PT10S",
  compensation: "nothing",
} as const;
const byEncoder = { operation: "discard", completeWithin: "PT1S" } as const;
const head = { name: "planted", version: 1, policy } as const;

const planted = {
  // @ts-expect-error there is no such agent
  agent: defineWorkflow({ ...head, steps: [{ ...step, agent: "storages" }] }),
  // @ts-expect-error another agent's operation
  operation: defineWorkflow({ ...head, steps: [{ ...step, operation: "encode" }] }),
  // @ts-expect-error another agent's operation
  compensation: defineWorkflow({ ...head, steps: [{ ...step, compensation: byEncoder }] }),
  // @ts-expect-error there is no such step
  after: defineWorkflow({ ...head, steps: [{ ...step, after: ["two"] }] }),
  // @ts-expect-error there is no such step
  needs: defineWorkflow({ ...head, steps: [{ ...step, needs: ["two"] }] }),
  // @ts-expect-error there is no such step
  otherwise: defineWorkflow({ ...head, steps: [{ ...step, otherwise: "two" }] }),
  // @ts-expect-error there is no such step
  cancelUntil: defineWorkflow({ ...head, cancelUntil: "two", steps: [step] }),
  // @ts-expect-error there is no such reaction
  deadline: defineWorkflow({ ...head, deadline: { completeWithin: "P1D", onExpired: "cancel" }, steps: [step] }),
  // @ts-expect-error what follows is missing
  halfDeadline: defineWorkflow({ ...head, deadline: { completeWithin: "P1D" }, steps: [step] }),
  // @ts-expect-error there is no such step
  outputStep: defineWorkflow({ ...head, outputs: { blob: "two.blobId" }, steps: [step] }),
  // @ts-expect-error there is no such condition
  when: defineWorkflow({ ...head, steps: [{ ...step, when: "isShort" }] }),
  // @ts-expect-error there is no such list
  forEach: defineWorkflow({ ...head, steps: [{ ...step, forEach: "subtitles" }] }),
};

test.each(Object.entries(planted))("a workflow with a planted %s does not start either", (_, workflow) => {
  expect(() => loadWorkflows(videos.knownAgents, [workflow], videos.rules)).toThrow("The workflows can't run");
});

test("a member that no step has, and a result's member that is not recorded, do not compile", () => {
  const workflows = [
    // @ts-expect-error misspelt
    defineWorkflow({ ...head, steps: [{ ...step, awaitsWithin: "PT10M" }] }),
    // @ts-expect-error it records a blobId
    defineWorkflow({ ...head, outputs: { blob: "one.blob" }, steps: [step] }),
  ];
  expect(workflows).toHaveLength(2);
});

test("one that names what is there compiles, and starts", () => {
  const workflow = defineWorkflow({
    ...head,
    outputs: { blob: "one.blobId" },
    cancelUntil: "two",
    steps: [step, { ...step, name: "two", after: ["one"], when: "isLong" }],
  });
  expect(loadWorkflows(videos.knownAgents, [workflow, publishing], videos.rules).names).toEqual([
    "planted",
    "publishing",
  ]);
});
