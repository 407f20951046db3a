// Results that come by a report, by a reply or from a local agent (P6, P7, P9): recorded as their agent declares them, or not at all.

import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { RoutedAgent } from "../../src/agents/agent.ts";
import { checkResult, resultsCheckedOf } from "../../src/agents/declared-results.ts";
import type { Workflow } from "../../src/domain/definition/workflow.ts";
import type { StepRecord } from "../../src/domain/record/state-record.ts";
import { type Attempt, tasksToBegin } from "../../src/domain/steps/attempt.ts";
import { loadWorkflows } from "../../src/domain/workflows/workflows.ts";
import { claimJob } from "../../src/scheduler/claim-job.ts";
import { operateJob } from "../../src/scheduler/operating/operate-job.ts";
import { reportStep } from "../../src/scheduler/operating/report-step.ts";
import { askAgent } from "../../src/scheduler/steps/ask-agent.ts";
import { parseReport } from "../../src/scheduler/steps/completion.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { takeReply, takeReport } from "../../src/scheduler/steps/take-reply.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { NOON_MS, sampleJob, sampleRecord } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const within = { completeWithin: "PT10S" };

/** The hotel, which is given back later too, then a check over a queue. */
const STAY: Workflow = {
  name: "stay",
  version: 1,
  policy: { failureThreshold: 2, waits: [], onExhausted: "compensate", onRejected: "compensate" },
  steps: [
    {
      ...{ name: "hotel", agent: "inventory", operation: "reserve", after: [], ...within, awaitWithin: "P10D" },
      compensation: { operation: "release", completeWithin: "PT10S", awaitWithin: "P1D" },
    },
    {
      ...{
        name: "check",
        agent: "fraud",
        operation: "check",
        after: ["hotel"],
        ...within,
        transport: "queue",
        awaitWithin: "P1D",
      },
      compensation: "nothing",
    },
  ],
};

const RESULTS = {
  inventory: { reserve: z.object({ booking: z.string(), room: z.int() }), release: z.object({ status: z.string() }) },
  fraud: { check: z.object({ checkId: z.string() }) },
} as const satisfies { readonly [agent: string]: { readonly [operation: string]: z.ZodType } };
const schemas = new Map(
  Object.entries(RESULTS).flatMap(([agent, results]) =>
    Object.entries(results).map(([operation, schema]) => [`${agent} ${operation}`, schema] as const),
  ),
);

const BOOKED = { booking: "H-7", room: 12 };
const FAULTS = [expect.stringMatching(/^result\.booking: /), expect.stringMatching(/^result\.room: /)];

let world: World;
let attempt: Attempt;

beforeEach(async () => {
  world = createWorld(NOON_MS);
  const agents = [...world.agents].map(([name, { operationNames: operations }]) => {
    return [name, { operations, transports: ["activity", "queue"] }] as const;
  });
  Object.assign(world, {
    workflows: loadWorkflows(new Map(agents), [STAY]),
    checkResult: (agent: string, operation: string, result: StepRecord["result"] & object) =>
      checkResult(schemas.get(`${agent} ${operation}`), result),
  });
  await world.store.create(sampleJob("job-1"), sampleRecord("job-1", STAY));
  world.answers.set("reserve", () => ({ kind: "accepted", reference: "booking 7" }));
  world.answers.set("release", () => ({ kind: "accepted" }));
  await claim(1, "forward");
});

async function claim(number: number, direction: "forward" | "compensate"): Promise<void> {
  const claimed = await claimJob({ jobId: "job-1", attempt: number, direction }, world);
  if (claimed.kind !== "claimed") throw new Error(`attempt ${number} is ${claimed.kind}`);
  attempt = claimed.attempt;
}

function next() {
  const [task] = tasksToBegin(attempt, new Set());
  if (!task) throw new Error("there is nothing to begin");
  return task;
}

const run = () => runStep(next(), world);
const record = () => world.stateOf();
const step = async (name = "hotel") => (await record())?.steps[name] as StepRecord;

async function report(body: object) {
  const url = world.calls.at(-1)?.completion?.url ?? "";
  const parsed = parseReport(url.slice(url.lastIndexOf("/") + 1), JSON.stringify(body));
  if (parsed.kind !== "valid") throw new Error(parsed.kind);
  return takeReport(parsed.report, world);
}

describe("by a report", () => {
  test("P6 one that fits is recorded, without the members that are not declared", async () => {
    await run();
    expect(await report({ kind: "done", result: { ...BOOKED, more: true } })).toMatchObject({ kind: "recorded" });
    expect((await step()).result).toEqual(BOOKED);
  });

  test("P6 one that does not fit changes nothing, and every fault is named; the right one is taken after it", async () => {
    await run();
    const before = await record();
    expect(await report({ kind: "done", result: { booking: 7 } })).toMatchObject({ kind: "misfit", faults: FAULTS });
    expect(await record()).toEqual(before);
    expect(await report({ kind: "done", result: BOOKED })).toMatchObject({ kind: "recorded" });
    expect(await step()).toMatchObject({ state: "Completed", result: BOOKED });
  });

  test("who has no nonce of the step learns nothing of what is declared", async () => {
    await run();
    const address = { jobId: "job-1", step: "hotel", direction: "forward", nonce: "guessed" } as const;
    expect(await takeReport({ kind: "done", address, result: { booking: "7" } }, world)).toEqual({ kind: "unknown" });
  });

  test("P13 a compensation's is checked as its own operation declares it", async () => {
    await run();
    await report({ kind: "done", result: BOOKED });
    const cancel = { kind: "cancel", reason: "changed my mind" } as const;
    await operateJob("job-1", cancel, { by: "ada", ifMatch: "any" }, world);
    await claim(2, "compensate");
    await run();
    const before = await record();
    expect(await report({ kind: "done", result: BOOKED })).toMatchObject({
      kind: "misfit",
      faults: [expect.stringMatching(/^result\.status: /)],
    });
    expect(await record()).toEqual(before);
    expect(await report({ kind: "done", result: { status: "given back" } })).toMatchObject({ kind: "recorded" });
    expect(await step()).toMatchObject({ state: "Compensated" });
  });

  test("P6 an operator's is checked too: what does not fit is at fault, and stands in no audit log", async () => {
    await run();
    const before = await record();
    const ada = { by: "ada", ifMatch: "any" } as const;
    const rang = (result: object) =>
      reportStep("job-1", "hotel", { kind: "done", reason: "rang", result: { ...result } }, ada, world);
    expect(await rang({})).toEqual({ kind: "invalid", faults: FAULTS });
    expect(await record()).toEqual(before);
    const entries = [];
    for await (const entry of world.supervision.entries("2026-01-01")) entries.push(entry);
    expect(entries).toEqual([]);
    expect(await rang({ ...BOOKED, more: true })).toMatchObject({ kind: "reported" });
    expect((await step()).result).toEqual(BOOKED);
  });
});

describe("by a reply", () => {
  const reply = (result: object, at = -1) => {
    const ticket = world.requests.at(at)?.request.ticket;
    return takeReply({ ticket, kind: "done", result }, world);
  };
  const misconfigured = () => world.events.filter(({ name }) => name === "EndpointMisconfigured");

  beforeEach(async () => {
    await run();
    await report({ kind: "done", result: BOOKED });
    const claimed = (await record())?.steps;
    attempt = { ...attempt, steps: claimed ?? attempt.steps };
    await askAgent(next(), world);
  });

  test("P7 one that fits is recorded, without the members that are not declared", async () => {
    expect(await reply({ checkId: "c-1", score: 3 })).toMatchObject({ outcome: { kind: "completed" } });
    expect((await step("check")).result).toEqual({ checkId: "c-1" });
    expect(misconfigured()).toEqual([]);
  });

  test("P7 P9 one that does not fit is not recorded: the agent is asked again, the cause recorded, and operators alerted", async () => {
    expect(await reply({ checkId: 1 })).toBeUndefined();
    const message = expect.stringMatching(/^the result is not as the agent declares it: result\.checkId: /);
    expect(await step("check")).toMatchObject({
      state: "Running",
      result: null,
      expiry: { attempt: 1, message, misconfigured: true },
    });
    expect(world.requests.at(-1)).toMatchObject({
      agent: "fraud",
      request: { ticket: { round: 2 }, mayHaveHappened: true },
    });
    const attributes = { agent: "fraud", operation: "check", endpoint: "queue of fraud", message };
    expect(misconfigured()).toEqual([{ name: "EndpointMisconfigured", attributes }]);
    expect(await reply({ checkId: "c-1" })).toMatchObject({ outcome: { kind: "completed", hasEnded: true } });
  });

  test("P16 delivered again after a death it has the same request sent again, and to an earlier request it changes nothing", async () => {
    await reply({ checkId: 1 });
    const sent = world.requests.at(-1);
    await reply({ checkId: 1 }, 0);
    expect(world.requests).toHaveLength(3);
    expect(world.requests.at(-1)).toEqual(sent);
    await reply({ checkId: 1 });
    const before = await record();
    await reply({ checkId: 1 }, 0);
    expect(await record()).toEqual(before);
    expect(world.events.at(-1)).toMatchObject({ name: "LateReplyRejected" });
  });

  test("P6 P8 of a step that waits it changes no time: the agent is asked what has become of it", async () => {
    await takeReply({ ticket: world.requests.at(-1)?.request.ticket, kind: "accepted", reference: "case 7" }, world);
    const { completeBy } = await step("check");
    await reply({ checkId: 1 });
    expect(await step("check")).toMatchObject({ state: "Awaiting", completeBy, result: null });
    expect(world.requests.at(-1)?.request).toMatchObject({ awaited: { reference: "case 7" }, ticket: { round: 2 } });
  });

  test("P10 asked as often as its time allows, the job is held until a person has looked, and no failure is counted", async () => {
    for (let round = 0; round < 4; round += 1) {
      await reply({ checkId: 1 });
      world.clock = Date.parse(world.requests.at(-1)?.at ?? "");
    }
    world.clock = NOON_MS + 60_000;
    await sweep(world);
    expect(await record()).toMatchObject({
      processState: "Pending",
      failureCount: 0,
      steps: { check: { result: null } },
    });
  });
});

describe("from an agent of this app without a service", () => {
  const answering = (result: { readonly [name: string]: string | number }): RoutedAgent => ({
    name: "inventory",
    operationNames: ["reserve", "release"],
    async call(_operation, _request, { takeUp }) {
      if ((await takeUp()) === undefined) return { kind: "notTakenUp" };
      return { kind: "done", result, endpoint: "store", because: "it is here" };
    },
  });
  const alerts: object[] = [];
  const runWith = (result: { readonly [name: string]: string | number }) => {
    const onMisconfigured = (operation: string, error: object) => void alerts.push({ operation, error });
    const agent = resultsCheckedOf(answering(result), RESULTS.inventory, onMisconfigured);
    Object.assign(world, { agents: new Map([["inventory", agent]]) });
    return run();
  };

  beforeEach(() => void alerts.splice(0));

  test("P6 one that fits is recorded, without the members that are not declared", async () => {
    await runWith({ ...BOOKED, more: 1 });
    expect(await step()).toMatchObject({ state: "Completed", endpoint: "store" });
    expect((await step()).result).toEqual(BOOKED);
    expect(alerts).toEqual([]);
  });

  test("P9 P10 one that does not fit is as a service's: not recorded, the cause kept, its time runs, and operators are alerted", async () => {
    expect(await runWith({ booking: 7 })).toEqual({ outcome: { kind: "expired" }, receiver: null });
    const cause = { endpoint: "store", message: expect.stringContaining("result.room"), misconfigured: true };
    expect(await step()).toMatchObject({ state: "Running", result: null, expiry: { tries: 1, ...cause } });
    expect(alerts).toEqual([{ operation: "reserve", error: cause }]);
    world.clock = NOON_MS + 60_000;
    await sweep(world);
    expect(await record()).toMatchObject({ processState: "Pending", failureCount: 0 });
  });
});
