// Child jobs in a world (P35): a move whose boxes are jobs of another workflow, with services that do each request that reaches them.

import { defineAgent, defineChildJob, idAs } from "@scheduler-agent-supervisor/core/agents";
import { defineApp } from "@scheduler-agent-supervisor/core/app";
import { type Contracts, defineContract, jobId, jobMembers } from "@scheduler-agent-supervisor/core/contracts";
import type { Job, WorkflowRules } from "@scheduler-agent-supervisor/core/domain";
import { workflowsOf } from "@scheduler-agent-supervisor/core/workflows";
import { expect, test } from "vitest";
import { z } from "zod";
import { createSteppedWorld, createWorld, type SteppedWorld, type World, type WorldOptions } from "./create-world.ts";

interface Move extends Job {
  readonly jobId: string;
  readonly from: string;
  readonly rooms: readonly string[];
}
interface Box extends Job {
  readonly jobId: string;
  readonly label: string;
}

const facts = { secrets: [], keys: [], keysOf: () => ({}) };
const members = { ...jobMembers("move"), jobId };
const rooms = z.array(z.string());
const contracts = {
  usual: defineContract<Move>({ schema: z.strictObject({ ...members, from: z.string(), rooms }), ...facts }),
  usualWorkflow: "move",
  of: { box: defineContract<Box>({ schema: z.strictObject({ ...members, label: z.string().max(20) }), ...facts }) },
} satisfies Contracts;

const answers = [{ status: 422, means: "rejected" }] as const;
const request = (path: string) => () => ({ path, body: {} });
const packer = defineAgent({
  ...{ name: "packer", service: { setting: "PackerEndpoints", local: "http://127.0.0.1:7190" }, answers },
  seen: ({ jobId: id, label }: Box) => ({ jobId: id, label }),
  results: { pack: idAs("boxId"), unpack: idAs("boxId") },
  operations: {
    pack: ({ job: { label }, completion }) => ({
      path: "boxes",
      body: { label, reportTo: completion?.url ?? null },
      mayBeDoneLater: !!completion,
    }),
    unpack: request("unpackings"),
  },
});
const van = defineAgent({
  ...{ name: "van", service: { setting: "VanEndpoints", local: "http://127.0.0.1:7191" }, answers },
  seen: ({ jobId: id }: Move) => ({ jobId: id }),
  results: { drive: idAs("tripId"), turn: idAs("tripId") },
  operations: { drive: request("trips"), turn: request("turns") },
});

const rules = {
  conditions: {},
  lists: { rooms: (move: Move) => move.rooms.map((room) => ({ room })) },
} as const satisfies WorkflowRules;
const policy = { failureThreshold: 3, waits: [], onExhausted: "compensate", onRejected: "compensate" } as const;
const TIME = "PT10S";

const packing = {
  name: "packing",
  agent: "packer",
  operation: "pack",
  after: [],
  completeWithin: TIME,
  compensation: { operation: "unpack", completeWithin: TIME },
} as const;
const defineBox = workflowsOf([packer], rules, contracts);
const box = defineBox({ name: "box", version: 1, policy, outputs: { boxId: "packing.boxId" }, steps: [packing] });

const boxes = defineChildJob({
  name: "boxes",
  workflow: box,
  sees: ({ from }: Move) => ({ from }),
  content: ({ childJobId, job, item }) => ({ jobId: childJobId, label: String(item?.["room"] ?? job.from) }),
  result: z.object({ boxId: z.string() }),
});
const boxing = {
  name: "boxing",
  agent: "boxes",
  operation: "run",
  after: [],
  completeWithin: TIME,
  awaitWithin: "P1D",
  compensation: { operation: "takeBack", completeWithin: TIME, awaitWithin: "P1D" },
} as const;
const driving = {
  name: "driving",
  agent: "van",
  operation: "drive",
  after: ["boxing"],
  completeWithin: TIME,
  compensation: { operation: "turn", completeWithin: TIME },
} as const;
const agents = [boxes, packer, van] as const;
const defineMove = workflowsOf(agents, rules, contracts);
const move = defineMove({
  ...{ name: "move", version: 1, policy },
  outputs: { box: "boxing.childJobId" },
  steps: [boxing, driving],
});
const business = defineApp({ contracts, agents, workflows: [move, box], rules });
const perRoom = defineMove({
  ...{ name: "move", version: 1, policy },
  steps: [{ ...boxing, forEach: "rooms" }, driving],
});
const businessPerRoom = defineApp({ contracts, agents, workflows: [perRoom, box], rules });

const content = { jobId: "move-1", from: "Bath", rooms: ["attic", "cellar", "hall"] };
const CHILD = "move-1-boxing";

const worldOf = (options: Partial<WorldOptions> = {}) => createWorld({ business, ...options });
const states = (world: World, ...ids: string[]) => ids.map((id) => world.record(id).processState);
/** What a service did, by the keys that it was asked under: it knows a key again. */
const effects = (world: World, agent: string, operation: string) =>
  new Set(
    world
      .service(agent)
      .callsOf(operation)
      .map(({ idempotencyKey }) => idempotencyKey),
  ).size;

test("P35 a step is a job of another workflow, and records its outputs", async () => {
  const world = worldOf();
  await world.submit(content);
  await world.run();
  expect(states(world, "move-1", CHILD)).toEqual(["Processed", "Processed"]);
  expect(world.results("move-1")).toEqual({
    boxing: { boxId: "packer-1", childJobId: CHILD },
    driving: { tripId: "van-1" },
  });
  expect(world.record(CHILD).parent).toEqual({ jobId: "move-1", step: "boxing", depth: 1 });
  expect(world.service("packer").calls).toMatchObject([{ operation: "pack", body: { label: "Bath" } }]);
});

test("P35 a child that is rejected rejects its parent's step, with the child's error", async () => {
  const world = worldOf();
  world.service("packer").rejects("pack", { status: 422, message: "no boxes left" });
  await world.submit(content);
  await world.run();
  expect(states(world, "move-1", CHILD)).toEqual(["Compensated", "Compensated"]);
  expect(world.record("move-1").steps["boxing"]?.error).toContain(`child ${CHILD} is Compensated:`);
  expect(world.record("move-1").steps["boxing"]?.error).toContain("no boxes left");
  expect(world.service("van").calls).toEqual([]);
});

test("P13 P35 a child that is Processed is compensated with its parent", async () => {
  const world = worldOf();
  world.service("van").rejects("drive", { status: 422, message: "the road is closed" });
  await world.submit(content);
  await world.run();
  expect(states(world, "move-1", CHILD)).toEqual(["Compensated", "Compensated"]);
  expect(world.service("packer").callsOf("unpack")).toHaveLength(1);
  expect(world.record(CHILD).error?.message).toContain("parent move-1, whose step submitted it, is compensated");
});

test("P13 P35 a parent that is cancelled while its child is at work cancels it, and what was done is undone once", async () => {
  const world = worldOf();
  world.service("packer").hangs("pack");
  await world.submit(content);
  await world.run({ until: () => world.service("packer").callsOf("pack").length > 0 });
  await world.cancel(content);
  world.service("packer").works("pack");
  await world.run();
  expect(states(world, "move-1", CHILD)).toEqual(["Cancelled", "Cancelled"]);
  expect(world.service("packer").callsOf("unpack")).toHaveLength(1);
});

test("P35 of a list each item has a child job, and a rejected one takes the others back", async () => {
  const world = worldOf({ business: businessPerRoom });
  const answer = (request: { readonly body: unknown }) =>
    JSON.stringify(request.body).includes("hall") ? { status: 422, body: {} } : { body: { id: "box" } };
  world.service("packer").answers("pack", answer);
  await world.submit(content);
  await world.run();
  const ids = [1, 2, 3].map((item) => `move-1-boxing_${item}`);
  expect(states(world, "move-1", ...ids)).toEqual(["Compensated", "Compensated", "Compensated", "Compensated"]);
  expect(effects(world, "packer", "unpack")).toBe(2);
  expect(effects(world, "van", "drive")).toBe(0);
});

test("P35 a parent says what its child waits for, and goes on once a person has helped the child", async () => {
  const failing = { ...box, policy: { ...policy, onRejected: "fail" } } as const;
  const world = worldOf({ business: defineApp({ contracts, agents, workflows: [move, failing], rules }) });
  world.service("packer").rejects("pack", { status: 422, message: "no boxes left" });
  await world.submit(content);
  await world.run({ for: "PT10M" });
  expect(states(world, "move-1", CHILD)).toEqual(["Processing", "Error"]);
  const { boxing } = world.record("move-1").steps;
  expect(boxing?.accepted?.child).toEqual({ jobId: CHILD, waitsFor: expect.stringContaining("no boxes left") });
  world.service("packer").works("pack");
  await world.operator.resubmit(CHILD);
  await world.run();
  expect(states(world, "move-1", CHILD)).toEqual(["Processed", "Processed"]);
  expect(world.record("move-1").attempt).toBe(1);
});

test("P13 P35 a child in Error is compensated with its parent", async () => {
  const failing = { ...box, policy: { ...policy, onRejected: "fail" } } as const;
  const world = worldOf({ business: defineApp({ contracts, agents, workflows: [move, failing], rules }) });
  world.service("packer").rejects("pack", { status: 422, message: "no boxes left" });
  await world.submit(content);
  await world.run({ for: "PT1M" });
  await world.cancel(content);
  await world.run();
  expect(states(world, "move-1", CHILD)).toEqual(["Cancelled", "Compensated"]);
});

test("P13 P35 a child that is past its point of no return goes on to its end, and is compensated then", async () => {
  const strict = { ...box, cancelUntil: "packing" } as const;
  const world = worldOf({ business: defineApp({ contracts, agents, workflows: [move, strict], rules }) });
  world.service("packer").hangs("pack", { times: 1 });
  await world.submit(content);
  await world.run({ until: () => world.service("packer").callsOf("pack").length > 0 });
  await world.cancel(content);
  await world.run();
  expect(states(world, "move-1", CHILD)).toEqual(["Cancelled", "Compensated"]);
  expect(world.statuses(CHILD)).toEqual([]);
  expect(effects(world, "packer", "unpack")).toBe(1);
});

test("P35 a child's content that its contract does not take rejects the step, with every fault", async () => {
  const world = worldOf();
  await world.submit({ ...content, from: "a town with a name that is too long for a label" });
  await world.run();
  expect(states(world, "move-1")).toEqual(["Compensated"]);
  expect(world.record("move-1").error?.message).toContain("can't be submitted: label:");
  expect(() => world.record(CHILD)).toThrow("There is no record");
});

test("P35 a child id that another job has rejects the step by name, and leaves that job alone", async () => {
  const world = worldOf();
  await world.submit({ jobId: CHILD, workflow: "box", label: "Bath" });
  await world.run();
  await world.submit(content);
  await world.run();
  expect(states(world, "move-1", CHILD)).toEqual(["Compensated", "Processed"]);
  expect(world.record("move-1").error?.message).toContain(`the id ${CHILD} of the child is taken`);
});

test("P35 a resubmitted step has a child of its own, under the next generation of its key", async () => {
  const failing = { ...move, policy: { ...policy, onRejected: "fail" } } as const;
  const world = worldOf({ business: defineApp({ contracts, agents, workflows: [failing, box], rules }) });
  world.service("packer").rejects("pack", { status: 422, message: "no boxes left" });
  await world.submit(content);
  await world.run();
  expect(states(world, "move-1", CHILD)).toEqual(["Error", "Compensated"]);
  world.service("packer").works("pack");
  await world.operator.resubmit("move-1");
  await world.run();
  expect(states(world, "move-1", CHILD, `${CHILD}-2`)).toEqual(["Processed", "Compensated", "Processed"]);
});

test("P22 P35 a child that takes a month costs its parent under 300 polls", async () => {
  const slow = { ...box, steps: [{ ...packing, awaitWithin: "P30D" }] };
  const patient = { ...move, steps: [{ ...boxing, awaitWithin: "P30D" }, driving] };
  const world = worldOf({ business: defineApp({ contracts, agents, workflows: [patient, slow] as never, rules }) });
  world.service("packer").reportsLater("pack", { after: "P28D", result: { boxId: "late" } });
  await world.submit(content);
  await world.run();
  expect(states(world, "move-1", CHILD)).toEqual(["Processed", "Processed"]);
  const polls = world.history("move-1").filter(({ Name }) => Name === "pollStep");
  expect(polls.length).toBeGreaterThan(50);
  expect(polls.length).toBeLessThan(300);
});

const PROCESSES = ["scheduler", "supervisor", "boxes", "packer", "van"];

/** Runs until nothing is left to do. @param killAt after that many events the process that the event belongs to is killed */
async function steps(world: SteppedWorld, killAt: number): Promise<number> {
  for (let count = 0; ; count += 1) {
    const begun = await world.step();
    if (!begun) return count;
    if (count !== killAt) continue;
    const process = begun.taken === "delivery" ? begun.to : begun.taken === "wait" ? begun.process : "supervisor";
    if (process !== undefined && PROCESSES.includes(process)) world.kill(process);
  }
}

/** @param killAt undefined: nothing is killed */
async function runKilled(services: WorldOptions["services"], killAt = -1, isEachTwice = false) {
  const world = createSteppedWorld({ business, ...(services && { services }) });
  world.processes.isEachTwice = isEachTwice;
  world.send(content);
  const count = await steps(world, killAt);
  const found = [
    ...states(world, "move-1", CHILD),
    ...(["pack", "unpack"] as const).map((operation) => effects(world, "packer", operation)),
    ...(["drive", "turn"] as const).map((operation) => effects(world, "van", operation)),
  ];
  return { count, found };
}

const closed = { van: () => ({ status: 422, body: { message: "the road is closed" } }) };

test.each([
  ["ends well", undefined, ["Processed", "Processed", 1, 0, 1, 0]],
  ["is compensated", closed, ["Compensated", "Compensated", 1, 1, 1, 0]],
])("P16 P35 whatever process is killed, a job with a child %s, and nothing is done twice", async (_, services, end) => {
  const { count, found } = await runKilled(services);
  expect(found).toEqual(end);
  expect((await runKilled(services, -1, true)).found).toEqual(end);
  for (let killAt = 0; killAt < count; killAt += 1) {
    expect((await runKilled(services, killAt)).found, `killed after ${killAt} of ${count} events`).toEqual(end);
  }
});
