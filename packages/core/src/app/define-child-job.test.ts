// A step that is a job of another workflow: its content and its results fit that workflow, or it does not compile.
import { expect, test } from "vitest";
import { z } from "zod";
import { bounds } from "../../tests/bounds.ts";
import type { Job } from "../domain/job.ts";
import { NO_RULES } from "../domain/workflow-rules.ts";
import { offered } from "../domain/workflows.ts";
import { type Contracts, defineContract, jobId, jobMembers } from "../messaging/contract.ts";
import { defineApp } from "./define-app.ts";
import { defineChildJob } from "./define-child-job.ts";
import { rule } from "./define-local-agent.ts";
import { workflowsOf } from "./define-workflow.ts";

interface Move extends Job {
  readonly jobId: string;
  readonly from: string;
}
interface Box extends Job {
  readonly jobId: string;
  readonly label: string;
}

const facts = { secrets: [], keys: [], keysOf: () => ({}) };
const members = { ...jobMembers("move"), jobId };
const contracts = {
  usual: defineContract<Move>({ schema: z.strictObject({ ...members, from: z.string() }), ...facts }),
  usualWorkflow: "move",
  of: { box: defineContract<Box>({ schema: z.strictObject({ ...members, label: z.string() }), ...facts }) },
} satisfies Contracts;

const pack = rule({
  name: "pack",
  sees: ({ label }: Box) => ({ label }),
  result: z.object({ kilos: z.number(), tape: z.string() }),
  run: () => ({ kilos: 3, tape: "brown" }),
});
const policy = { failureThreshold: 3, waits: [], onExhausted: "compensate", onRejected: "compensate" } as const;
const packing = {
  name: "packing",
  agent: "pack",
  operation: "decide",
  after: [],
  completeWithin: "PT10S",
  compensation: "nothing",
} as const;
const box = workflowsOf(
  [pack],
  NO_RULES,
  contracts,
)({ name: "box", version: 1, policy, outputs: { kilos: "packing.kilos" }, steps: [packing] });

const declared = {
  name: "boxes",
  workflow: box,
  sees: ({ from }: Move) => ({ from }),
  content: ({ childJobId, job }: { readonly childJobId: string; readonly job: { readonly from: string } }) => ({
    jobId: childJobId,
    label: job.from,
  }),
  result: z.object({ kilos: z.number() }),
} as const;
const boxes = defineChildJob(declared);

const part = z.object({ part: z.string() });

const planted = [
  // @ts-expect-error a box has a label
  () => defineChildJob({ ...declared, content: ({ childJobId }) => ({ jobId: childJobId }) }),
  // @ts-expect-error its label is a text
  () => defineChildJob({ ...declared, content: ({ childJobId }) => ({ jobId: childJobId, label: 3 }) }),
  // @ts-expect-error the workflow of boxes has no such output
  () => defineChildJob({ ...declared, result: z.object({ tape: z.string() }) }),
  // @ts-expect-error its kilos are a number
  () => defineChildJob({ ...declared, result: z.object({ kilos: z.string() }) }),
  // @ts-expect-error the item has no name
  () => defineChildJob({ ...declared, item: part, content: ({ item }) => ({ jobId: "x", label: item?.name ?? "" }) }),
  // @ts-expect-error the step sees no weight
  () => defineChildJob({ ...declared, content: ({ childJobId, job }) => ({ jobId: childJobId, label: job.weight }) }),
];

const defineMove = workflowsOf([boxes, pack], NO_RULES, contracts);
const child = {
  name: "boxing",
  agent: "boxes",
  operation: "run",
  after: [],
  completeWithin: "PT10S",
  awaitWithin: "P1D",
  compensation: { operation: "takeBack", completeWithin: "PT10S", awaitWithin: "P1D" },
} as const;
const move = defineMove({
  ...{ name: "move", version: 1, policy },
  outputs: { kilos: "boxing.kilos", box: "boxing.childJobId" },
  steps: [child],
});

const plantedSteps = [
  // @ts-expect-error the step records no tape
  () => defineMove({ name: "move", version: 1, policy, outputs: { tape: "boxing.tape" }, steps: [child] }),
  // @ts-expect-error it takes the content of a move
  () => defineMove({ name: "box", version: 1, policy, steps: [child] }),
  // @ts-expect-error it has no such operation
  () => defineMove({ name: "move", version: 1, policy, steps: [{ ...child, operation: "submit" }] }),
];

test("a child job whose content and results fit its workflow compiles, and nothing else does", () => {
  const app = defineApp({ contracts, agents: [boxes, pack], workflows: [move, box] });
  expect(app.loadWorkflows().names).toEqual(["move", "box"]);
  expect(offered(app.loadWorkflows(), {})).toEqual(["move", "box"]);
  expect(offered(app.loadWorkflows(), { pack: undefined })).toEqual([]);
  const parts = defineChildJob({
    ...{ ...declared, item: part },
    content: ({ childJobId, item }) => ({ jobId: childJobId, label: item?.part ?? "" }),
  });
  expect(Object.keys(parts.items ?? {})).toEqual(["run", "takeBack"]);
  expect(planted.length + plantedSteps.length).toBe(9);
});

test.each([
  ["without awaitWithin", [{ ...move, steps: [{ ...child, awaitWithin: undefined }] }, box], "it needs awaitWithin"],
  ["of no workflow", [move], "step boxing: it submits a job of the workflow box, and there is none"],
  [
    "whose workflow contains its parent's",
    [move, { ...box, steps: [...box.steps, { ...child, name: "again", agent: "moves" }] }],
    "workflow box: it contains itself: box submits move submits box",
  ],
  [
    "of its own workflow, in the newest version",
    [{ ...move, version: 2, steps: [{ ...child, agent: "moves" }] }, move, box],
    "workflow move: it contains itself: move submits move",
  ],
])("a child job %s is rejected at start by name", (_, workflows, fault) => {
  const moves = { ...boxes, name: "moves", submits: "move" };
  const agents = [boxes, moves, pack];
  const app = defineApp({ contracts, agents, workflows: workflows as never });
  expect(() => app.loadWorkflows()).toThrow(fault);
});

test("workflows that are nested too deep are rejected at start", () => {
  const agents = [1, 2, 3, 4, 5].map((at) => ({ ...boxes, name: `to${at}`, submits: `level${at}` }));
  const levels = [0, 1, 2, 3, 4].map((at) => ({
    ...move,
    name: `level${at}`,
    outputs: {},
    steps: [{ ...child, agent: `to${at + 1}` }],
  }));
  const last = { ...box, name: "level5" };
  const app = defineApp({ contracts, agents: [...agents, pack], workflows: [...levels, last] as never });
  expect(() => app.loadWorkflows()).toThrow("child jobs are nested 6 deep: a job and those below it are at most 5");
});

test("an earlier version that has contained itself is no fault: its child starts with the newest", () => {
  const moves = { ...boxes, name: "moves", submits: "move" };
  const before = { ...move, steps: [{ ...child, agent: "moves" }] };
  const app = defineApp({
    contracts,
    agents: [boxes, moves, pack],
    workflows: [before, { ...move, version: 2 }, box] as never,
  });
  expect(app.loadWorkflows().newest("move")?.version).toBe(2);
});

test("P35 a child that was recorded is not submitted again, also where its documents are removed", async () => {
  const fail = () => Promise.reject(new Error("it was submitted again"));
  const childJobs = { submit: fail, takeBack: fail, look: async () => ({ kind: "gone" }) as const };
  const agent = boxes.create({ store: null as never, now: () => 0, childJobs });
  const asked = { job: { from: "Bath" }, results: {}, idempotencyKey: "move-1:boxing:forward", compensates: null };
  const awaited = { reference: "move-1-boxing" };
  expect(await agent.call("run", { ...asked, awaited }, bounds("2026-01-01T12:00:00Z"))).toMatchObject({
    kind: "rejected",
    message: "child move-1-boxing is not there any more",
    outcomeUnknown: true,
  });
});
