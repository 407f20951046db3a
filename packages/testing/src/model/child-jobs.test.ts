// Child jobs and lists in an exploration (P35, P23): a child's step ends as the child does, and the runs of several items are seen side by side.
import { defineAgent, defineChildJob, idAs } from "@scheduler-agent-supervisor/core/agents";
import { defineApp } from "@scheduler-agent-supervisor/core/app";
import { type Contracts, defineContract, jobId, jobMembers } from "@scheduler-agent-supervisor/core/contracts";
import {
  type Job,
  NOT_STARTED,
  type StateRecord,
  type StepRecord,
  type Workflow,
} from "@scheduler-agent-supervisor/core/domain";
import { workflowsOf } from "@scheduler-agent-supervisor/core/workflows";
import { expect, test } from "vitest";
import { z } from "zod";
import { explore } from "./explore.ts";
import { explore as exploreModel } from "./explorer.ts";
import { Model } from "./model.ts";
import { type ChildEnds, NOTHING_GOES_WRONG, type Setting } from "./setting.ts";

const times = { startWithin: "PT30S", completeWithin: "PT30S" } as const;
const policy = { failureThreshold: 2, waits: [], onExhausted: "compensate", onRejected: "compensate" } as const;
const WORKFLOW: Workflow = {
  ...{ name: "model", version: 1, policy, deadline: { completeWithin: "P366D", onExpired: "compensate" } },
  steps: [
    {
      ...{ name: "a", agent: "service", operation: "run", after: [], ...times, awaitWithin: "PT60S" },
      compensation: { operation: "takeBack", completeWithin: "PT30S", awaitWithin: "PT60S" },
    },
    { name: "b", agent: "service", operation: "b", after: ["a"], ...times, compensation: "nothing" },
  ],
};
const PROCESSED: ChildEnds = { processed: true, takenBack: false, error: false, mayStay: false };

async function explored(ends: ChildEnds, mutant?: Setting["mutant"]) {
  const bounds = { ...NOTHING_GOES_WRONG, deadlines: 1, timeouts: 0 };
  const setting = { name: "a child", workflow: WORKFLOW, hosts: ["east"], requests: [], isCoarse: true } as const;
  const model = new Model({ ...setting, bounds, children: { a: ends }, ...(mutant && { mutant }) });
  return exploreModel(model, { states: 50_000 });
}

test.each([
  { ends: PROCESSED, job: ["Compensated", "Processed"] },
  { ends: { ...PROCESSED, processed: false, takenBack: true }, job: ["Compensated"] },
  { ends: { ...PROCESSED, processed: false, error: true }, job: ["Compensated"] },
  { ends: { ...PROCESSED, mayStay: true }, job: ["Compensated", "Error", "Processed"] },
])("P35 a job ends as its child does: $ends", async ({ ends, job }) => {
  const { complete, finding, ends: found } = await explored(ends);
  expect(finding).toBeUndefined();
  expect({ complete, found }).toEqual({ complete: true, found: job });
});

/** The compensation that begins at the deadline takes a's child for taken back. */
const forgets = (holds: (step: StepRecord) => boolean): Setting["mutant"] => ({
  replaces: (record: StateRecord) => {
    const { a } = record.steps;
    if (!a || !holds(a) || !record.history.at(-1)?.what.startsWith("its deadline")) return record;
    const done = { ...a, state: "Completed", compensation: { ...NOT_STARTED, state: "Completed" } } as const;
    return { ...record, steps: { ...record.steps, a: done } };
  },
});

test.each([
  { name: "a child that is done", mutant: forgets(({ state }) => state === "Completed") },
  { name: "a child that is under way", mutant: forgets(({ state }) => state === "Awaiting") },
])("P35 planted, the compensation forgets $name: it is found", async ({ mutant }) => {
  const { finding } = await explored(PROCESSED, mutant);
  expect(finding?.fault ?? "").toMatch(/the effects of a.* are left|step a is completed and has no effect/);
});

interface Move extends Job {
  readonly jobId: string;
  readonly rooms: readonly string[];
}
type Box = Move;
const facts = { secrets: [], keys: [], keysOf: () => ({}) };
const schema = z.strictObject({ ...jobMembers("move"), jobId, rooms: z.array(z.string()) });
const contracts = {
  usual: defineContract<Move>({ schema, ...facts }),
  usualWorkflow: "move",
  of: Object.fromEntries(
    ["box", "box-later", "sealed"].map((name) => [name, defineContract<Box>({ schema, ...facts })]),
  ),
} satisfies Contracts;
const rules = {
  conditions: {},
  lists: { rooms: ({ rooms }: Move) => rooms.map((room) => ({ room })) },
} as const;
const request = () => ({ path: "packings", body: {} });
const packer = defineAgent({
  ...{ name: "packer", service: { setting: "PackerEndpoints", local: "http://127.0.0.1:7190" } },
  seen: ({ jobId: id }: Move) => ({ jobId: id }),
  results: { pack: idAs("boxId"), unpack: idAs("boxId") },
  operations: { pack: request, unpack: request },
});
const unpacked = { compensation: { operation: "unpack", completeWithin: "PT10S" } } as const;
const pack = { name: "pack", agent: "packer", operation: "pack", after: [], completeWithin: "PT10S" } as const;
const head = { version: 1, policy } as const;
const box = workflowsOf(
  [packer],
  rules,
  contracts,
)({ ...head, name: "box", steps: [{ ...pack, ...unpacked }], outputs: { box: "pack.boxId" } });
/** From its one step on it is too late for a cancellation. */
const sealed = workflowsOf(
  [packer],
  rules,
  contracts,
)({ ...head, name: "sealed", cancelUntil: "pack", steps: [{ ...pack, ...unpacked }], outputs: { box: "pack.boxId" } });
const child = {
  result: z.object({ box: z.string() }),
  sees: ({ rooms }: Move) => ({ rooms }),
  content: ({ childJobId, job }: { readonly childJobId: string; readonly job: Pick<Move, "rooms"> }) => ({
    ...{ jobId: childJobId, rooms: job.rooms },
  }),
};
const boxing = defineChildJob({ ...child, name: "boxing", workflow: box });
const sealing = defineChildJob({ ...child, name: "sealing", workflow: sealed });
/** Its one step is compensated later. */
const later = workflowsOf(
  [packer],
  rules,
  contracts,
)({
  ...{ ...head, name: "box-later" },
  steps: [{ ...pack, compensation: { operation: "unpack", completeWithin: "PT10S", awaitWithin: "P1D" } }],
  outputs: { box: "pack.boxId" },
});
const sending = defineChildJob({ ...child, name: "sending", workflow: later });
const agents = [packer, boxing, sealing, sending] as const;
const within = { completeWithin: "PT10S", awaitWithin: "P1D" } as const;
const move = workflowsOf(
  agents,
  rules,
  contracts,
)({
  ...{ ...head, name: "move" },
  steps: [
    {
      ...{ name: "boxUp", agent: "boxing", operation: "run", after: [], ...within },
      compensation: { operation: "takeBack", ...within },
    },
    { ...pack, after: ["boxUp"], compensation: "nothing" },
  ],
});
const seal = workflowsOf(
  agents,
  rules,
  contracts,
)({
  ...{ ...head, name: "seal" },
  steps: [
    {
      ...{ name: "sealUp", agent: "sealing", operation: "run", after: [], ...within },
      compensation: { operation: "takeBack", ...within },
    },
    { ...pack, after: ["sealUp"], compensation: "nothing" },
  ],
});
const send = workflowsOf(
  agents,
  rules,
  contracts,
)({
  ...{ ...head, name: "send" },
  steps: [
    {
      name: "sendOff",
      agent: "sending",
      operation: "run",
      after: [],
      ...within,
      compensation: { operation: "takeBack", ...within },
    },
  ],
});
const rooms = workflowsOf(
  agents,
  rules,
  contracts,
)({ ...{ ...head, name: "rooms" }, steps: [{ ...pack, ...unpacked, forEach: "rooms" }] });
const business = defineApp({ contracts, agents, workflows: [box, later, sealed, move, seal, send, rooms], rules });

test("P35 the child's workflow is explored first, and its ends are those of the step", async () => {
  const { complete, violation, ends, bounded, notModelled, unseen } = await explore(business, "move", {
    goesWrong: { rejections: 1, timeouts: 0 },
  });
  expect(violation).toBeUndefined();
  expect({ complete, ends, steps: unseen.steps }).toEqual({
    complete: true,
    // What a cancelled child can't compensate is left to a person.
    ends: ["Compensated", "Error", "Processed"],
    steps: [],
  });
  expect(bounded.join()).toMatch(/^the child of boxUp is one step, box explored alone: it ends Processed, Compensated/);
  // Its child is what a service is to other steps, and is polled itself where it has such a step.
  expect(notModelled).toEqual([]);
  const { notModelled: ofChild } = await explore(business, "send", { states: 50 });
  expect(ofChild).toEqual(["in the child box-later: polls (services report what they do later): pack"]);
});

test("P35 a child that can't be cancelled any more is compensated once it has ended, and that may fail", async () => {
  const { complete, violation, bounded, ends } = await explore(business, "seal", {
    goesWrong: { rejections: 1, timeouts: 0 },
  });
  expect(violation).toBeUndefined();
  expect(bounded.join()).toMatch(/sealed explored alone: it ends Processed, .*; its compensation may end in Error$/);
  expect({ complete, ends }).toEqual({ complete: true, ends: ["Compensated", "Error", "Processed"] });
});

test("P23 lists of no item, one and two: one is rejected while the other is under way", async () => {
  const few = await explore(business, "rooms", { items: [0], goesWrong: { timeouts: 0 } });
  expect({ ends: few.ends, steps: few.unseen.steps }).toEqual({ ends: ["Processed"], steps: ["pack"] });
  const one = await explore(business, "rooms", { items: [1], goesWrong: { rejections: 1, timeouts: 0 } });
  expect(one.unseen.compensations).toEqual(["pack"]);
  // What is compensated after the rejection of one is the other one.
  const { complete, violation, unseen, bounded, summary } = await explore(business, "rooms", {
    goesWrong: { rejections: 1, timeouts: 0 },
  });
  expect(violation).toBeUndefined();
  expect({ complete, compensations: unseen.compensations }).toEqual({ complete: true, compensations: [] });
  expect(bounded).toEqual(["each list has 0 or 1 or 2 items: pack"]);
  expect(summary).toContain("Bounded: each list has 0 or 1 or 2 items: pack.");
});
