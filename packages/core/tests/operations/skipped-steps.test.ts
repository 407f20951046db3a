// Steps that a job can do without (P5, P9, P13): optional, conditional and replaced ones, and what those may have left behind.

import { createMemoryJobStore } from "@scheduler-agent-supervisor/testing/memory";
import { describe, expect, test } from "vitest";
import type { Workflow, WorkflowStep } from "../../src/domain/definition/workflow.ts";
import { hasEnded, type StateRecord } from "../../src/domain/record/state-record.ts";
import { startAttemptOf } from "../../src/domain/recovery/recovery.ts";
import type { WorkflowRules } from "../../src/domain/workflows/workflow-rules.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import type { Goods } from "../jobs.ts";
import { NOON_MS } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const SOLD_OUT = { kind: "rejected", message: "sold out" } as const;

/** Money; hotel and car side by side; the badge needs the car; the capture needs none of both. */
const MONEY: WorkflowStep = {
  name: "money",
  agent: "payment",
  operation: "authorize",
  after: [],
  completeWithin: "PT10S",
  compensation: { operation: "void", completeWithin: "PT10S" },
};
const HOTEL: WorkflowStep = {
  name: "hotel",
  agent: "inventory",
  operation: "reserve",
  after: ["money"],
  completeWithin: "PT10S",
  compensation: { operation: "release", completeWithin: "PT10S" },
};
const CAR: WorkflowStep = {
  name: "car",
  agent: "shipping",
  operation: "arrange",
  after: ["money"],
  completeWithin: "PT10S",
  compensation: { operation: "cancel", completeWithin: "PT10S" },
};
const CAPTURE: WorkflowStep = {
  name: "capture",
  agent: "payment",
  operation: "capture",
  after: ["hotel", "car"],
  completeWithin: "PT10S",
  compensation: { operation: "refund", completeWithin: "PT10S" },
};
const OTHER_CAR: WorkflowStep = {
  name: "otherCar",
  agent: "shipping",
  operation: "pickUp",
  after: ["car"],
  completeWithin: "PT10S",
  compensation: { operation: "cancelPickUp", completeWithin: "PT10S" },
};

let world: World;
let record: StateRecord;

function trip(changes: Partial<WorkflowStep>, more: readonly WorkflowStep[] = []): Workflow {
  return {
    name: "job-fulfilment",
    version: 1,
    outputs: { car: "car.id" },
    policy: { failureThreshold: 2, waits: [], onExhausted: "compensate", onRejected: "compensate" },
    steps: [MONEY, HOTEL, { ...CAR, ...changes }, ...more, CAPTURE],
  };
}

/** Submits a job under that workflow, and runs attempts and sweeps until it has ended. */
async function run(
  workflow: Workflow,
  answers: { readonly [operation: string]: Parameters<World["answers"]["set"]>[1] } = {},
  rules?: WorkflowRules,
): Promise<void> {
  world = createWorld(NOON_MS, createMemoryJobStore(), { workflows: [workflow], ...(rules && { rules }) });
  for (const [operation, answer] of Object.entries(answers)) world.answers.set(operation, answer);
  await world.submitted();
  await goOn();
}

/** Attempts and sweeps, until nothing is due any more. */
async function goOn(): Promise<void> {
  for (let rounds = 0; rounds < 30; rounds += 1) {
    record = (await world.stateOf()) as StateRecord;
    if (record.processState === "Pending") await world.runAttempt(startAttemptOf(record));
    record = (await world.stateOf()) as StateRecord;
    if (hasEnded(record.processState)) return;
    if (record.processState === "Processing") {
      world.clock = Date.parse(record.dueAt ?? "") + 2000;
      await sweep(world);
    }
  }
  throw new Error(`the job is still ${record.processState}`);
}

const states = () => Object.fromEntries(Object.entries(record.steps).map(([name, { state }]) => [name, state]));
const called = (operation: string) => world.calls.filter((call) => call.operation === operation).length;
const completed = () => world.statuses.find(({ status }) => status === "Completed");

describe("an optional step", () => {
  test("that is rejected is skipped with its cause, and the job goes on", async () => {
    await run(trip({ optional: true }), { arrange: () => SOLD_OUT });
    expect(record.processState).toBe("Processed");
    expect(states()).toEqual({ money: "Completed", hotel: "Completed", car: "Skipped", capture: "Completed" });
    expect(record.steps["car"]).toMatchObject({
      skipped: { cause: "rejected", message: "sold out" },
      compensation: null,
    });
    expect(called("cancel")).toBe(0);
    expect(completed()).toBeDefined();
    expect(completed()?.outputs).toBeUndefined();
    expect(world.eventNames()).toContain("StepSkipped");
  });

  test("that was rejected after a try without an answer is compensated while the job goes on", async () => {
    await run(trip({ optional: true }), { arrange: () => ({ ...SOLD_OUT, outcomeUnknown: true }) });
    expect(record.processState).toBe("Processed");
    expect(record.steps["car"]).toMatchObject({
      state: "Skipped",
      outcomeUnknown: true,
      compensation: { state: "Completed" },
    });
    expect(called("cancel")).toBe(1);
    const cancel = world.calls.find(({ operation }) => operation === "cancel");
    expect(cancel?.compensates).toMatchObject({ result: null, idempotencyKey: "job-1:car:forward" });
    expect(called("release")).toBe(0);
  });

  test("whose tries are used up is skipped and compensated; the others' results stay", async () => {
    await run(trip({ optional: true }), { arrange: () => ({ kind: "expired" }) });
    expect(record.processState).toBe("Processed");
    expect(record.attempt).toBe(3);
    expect(record.steps["car"]).toMatchObject({ skipped: { cause: "expired" }, compensation: { state: "Completed" } });
    expect([called("arrange"), called("cancel"), called("reserve"), called("capture")]).toEqual([2, 1, 1, 1]);
  });

  test("whose compensation is rejected is left to a person, who is alerted; the job is Processed", async () => {
    await run(trip({ optional: true }), { arrange: () => ({ kind: "expired" }), cancel: () => SOLD_OUT });
    expect(record.processState).toBe("Processed");
    expect(record.steps["car"]).toMatchObject({
      state: "Skipped",
      compensation: { state: "Failed", error: "sold out" },
    });
    expect(world.eventNames()).toContain("CompensationIncomplete");
  });

  test("whose compensation can't be had either is left to a person", async () => {
    await run(trip({ optional: true }), { arrange: () => ({ kind: "expired" }), cancel: () => ({ kind: "expired" }) });
    expect(record.processState).toBe("Processed");
    expect(record.steps["car"]?.compensation).toMatchObject({ state: "Failed", error: "2 attempts ran out of time" });
    expect(world.eventNames()).toContain("CompensationIncomplete");
    expect(called("cancel")).toBe(2);
  });

  test("that was skipped is compensated once where its job is compensated later", async () => {
    await run(trip({ optional: true }), {
      arrange: () => ({ ...SOLD_OUT, outcomeUnknown: true }),
      capture: () => SOLD_OUT,
    });
    expect(record).toMatchObject({ processState: "Compensated" });
    expect(called("cancel")).toBe(1);
    expect(states()).toMatchObject({ money: "Compensated", hotel: "Compensated", capture: "Failed" });
  });

  test("is compensated in a compensation that begins before it was", async () => {
    let isDown = true;
    await run(trip({ optional: true }), {
      arrange: () => ({ ...SOLD_OUT, outcomeUnknown: true }),
      cancel: () => (isDown ? { kind: "expired" } : { kind: "done" }),
      reserve: () => {
        isDown = false;
        return { kind: "rejected", message: "full" };
      },
    });
    expect(record).toMatchObject({ processState: "Compensated" });
    expect(record.steps["car"]?.compensation).toMatchObject({ state: "Completed" });
    expect(record.steps["money"]).toMatchObject({ state: "Compensated" });
  });

  test("that is all there is leaves its job Processed", async () => {
    const { after: _none, ...car } = CAR;
    const only: Workflow = { ...trip({}), outputs: {}, steps: [{ ...car, after: [], optional: true }] };
    await run(only, { arrange: () => ({ kind: "expired" }) });
    expect(record.processState).toBe("Processed");
    expect(states()).toEqual({ car: "Skipped" });
  });
});

describe("a step that needs another", () => {
  const BADGE: WorkflowStep = { ...OTHER_CAR, name: "badge", after: ["car"], needs: ["car"] };

  test("is skipped with it, without a call", async () => {
    await run(trip({ optional: true }, [BADGE]), { arrange: () => SOLD_OUT });
    expect(record.processState).toBe("Processed");
    expect(record.steps["badge"]).toMatchObject({ skipped: { cause: "needs", message: "car is skipped" } });
    expect(called("pickUp")).toBe(0);
  });

  test("is done where the other is", async () => {
    await run(trip({ optional: true }, [BADGE]));
    expect(record.steps["badge"]).toMatchObject({ state: "Completed" });
    expect(record.processState).toBe("Processed");
  });

  test("is skipped where the supervisor skipped the other, before anything else is begun", async () => {
    const last = { ...BADGE, after: ["car", "hotel"] };
    await run(trip({ optional: true }, [last]), { arrange: () => ({ kind: "expired" }) });
    expect(record.processState).toBe("Processed");
    expect(record.steps["badge"]).toMatchObject({ skipped: { cause: "needs" } });
  });
});

describe("a step with another one in its place", () => {
  test("has it done where it was rejected; its requester gets that one's result", async () => {
    await run(trip({ otherwise: "otherCar" }, [OTHER_CAR]), { arrange: () => SOLD_OUT });
    expect(record.processState).toBe("Processed");
    expect(states()).toMatchObject({ car: "Skipped", otherCar: "Completed", capture: "Completed" });
    expect(completed()?.outputs).toEqual({ car: expect.stringContaining("shipping") });
    const capture = world.calls.find(({ operation }) => operation === "capture");
    expect(Object.keys(capture?.results ?? {}).sort()).toEqual(["hotel", "money", "otherCar"]);
  });

  test("has it skipped where it is done", async () => {
    await run(trip({ otherwise: "otherCar" }, [OTHER_CAR]));
    expect(record.steps["otherCar"]).toMatchObject({ skipped: { cause: "notNeeded" }, compensation: null });
    expect([called("pickUp"), record.processState]).toEqual([0, "Processed"]);
  });

  test("has it done where its tries are used up, and what it may have left behind compensated", async () => {
    await run(trip({ otherwise: "otherCar" }, [OTHER_CAR]), { arrange: () => ({ kind: "expired" }) });
    expect(record.processState).toBe("Processed");
    expect([called("arrange"), called("cancel"), called("pickUp"), called("cancelPickUp")]).toEqual([2, 1, 1, 0]);
  });

  test("that is rejected too has the job compensated, each with its own compensation", async () => {
    const both = {
      arrange: () => ({ ...SOLD_OUT, outcomeUnknown: true }),
      pickUp: () => ({ ...SOLD_OUT, outcomeUnknown: true }),
    };
    await run(trip({ otherwise: "otherCar" }, [OTHER_CAR]), both);
    expect(record).toMatchObject({ processState: "Compensated" });
    expect([called("cancel"), called("cancelPickUp"), called("void"), called("capture")]).toEqual([1, 1, 1, 0]);
  });

  test("that is optional itself lets the job go on without both", async () => {
    const optional = { ...OTHER_CAR, optional: true };
    await run(trip({ otherwise: "otherCar" }, [optional]), { arrange: () => SOLD_OUT, pickUp: () => SOLD_OUT });
    expect(record.processState).toBe("Processed");
    expect(states()).toMatchObject({ car: "Skipped", otherCar: "Skipped", capture: "Completed" });
  });

  test("provides what another needs", async () => {
    const badge: WorkflowStep = { ...OTHER_CAR, name: "badge", after: ["car"], needs: ["car"] };
    await run(trip({ otherwise: "otherCar" }, [OTHER_CAR, badge]), { arrange: () => SOLD_OUT });
    expect(states()).toMatchObject({ car: "Skipped", otherCar: "Completed", badge: "Completed" });
  });
});

describe("a step with a condition", () => {
  const rules = (holds: () => boolean): WorkflowRules => ({ conditions: { isWanted: holds }, lists: {} });

  test("is skipped where it does not hold, and its agent is not asked", async () => {
    await run(
      trip({ when: "isWanted" }),
      {},
      rules(() => false),
    );
    expect(record.processState).toBe("Processed");
    expect(record.steps["car"]).toMatchObject({
      state: "Skipped",
      skipped: { cause: "condition", message: "isWanted does not hold" },
      decided: { condition: "isWanted", holds: false },
      compensation: null,
    });
    expect(called("arrange")).toBe(0);
  });

  test("is decided by the job and by what the steps before it recorded", async () => {
    const seen: unknown[] = [];
    const conditions: WorkflowRules<Goods>["conditions"] = {
      isWanted: ({ job, results, item }) => {
        seen.push(job.jobId, Object.keys(results), item);
        return true;
      },
    };
    await run(trip({ when: "isWanted" }), {}, { conditions, lists: {} });
    expect(seen).toEqual(["job-1", ["money"], null]);
    expect(record.steps["car"]).toMatchObject({ state: "Completed", decided: { holds: true } });
  });

  test("is asked once, however often the step is tried", async () => {
    let asked = 0;
    let tries = 0;
    const isWanted = () => {
      asked += 1;
      return asked === 1;
    };
    const arrange = () => {
      tries += 1;
      return tries === 1 ? ({ kind: "expired" } as const) : ({ kind: "done" } as const);
    };
    await run(trip({ when: "isWanted" }), { arrange }, rules(isWanted));
    expect([asked, tries, record.processState]).toEqual([1, 2, "Processed"]);
    expect(record.steps["car"]).toMatchObject({ state: "Completed" });
  });

  test("over a queue is decided before anybody is asked", async () => {
    await run(
      trip({ when: "isWanted", transport: "queue" }),
      {},
      rules(() => false),
    );
    expect([world.requests.length, record.processState]).toEqual([0, "Processed"]);
  });

  test("that throws holds the job, with its place and words, until it throws no more", async () => {
    let isCorrected = false;
    const thrown = rules(() => {
      if (isCorrected) return true;
      throw new Error("no such member");
    });
    await expect(run(trip({ when: "isWanted" }), {}, thrown)).rejects.toThrow("still");
    const expiry = { endpoint: "condition isWanted", message: expect.stringContaining("no such member"), ofCode: true };
    expect(record).toMatchObject({ direction: "forward", failureCount: 0, error: null, steps: { car: { expiry } } });
    expect(called("arrange")).toBe(0);
    isCorrected = true;
    await goOn();
    expect(record.processState).toBe("Processed");
  });
});
