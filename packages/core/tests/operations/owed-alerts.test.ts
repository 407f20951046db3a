// P9 P10 P16: the alert for a job in Error is owed as long as its status is: a death, or an answer that is lost, right after the write.
import { beforeEach, expect, test } from "vitest";
import { publishEndOf } from "../../src/scheduler/publishing/publish.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { StoreUnavailable } from "../../src/store/job-store.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { NOON_MS, sampleJob, sampleRecord } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

const A_MINUTE_MS = 60_000;
const alerts = () => world.eventNames().filter((name) => name === "JobErrored").length;

/** The record as the write of the Error left it. */
async function leftInError(owed: "Failed" | "StepCompleted" = "Failed"): Promise<void> {
  const dueAt = new Date(NOON_MS + 30_000).toISOString();
  await world.store.create(sampleJob(), {
    ...sampleRecord(),
    ...{ replyTo: "replies-shop", processState: "Error", completeBy: null, dueAt },
    error: { kind: "rejected", message: "no", step: "reserveStock", agent: "inventory", at: dueAt },
    outbox: [{ status: owed, attempt: 1, at: dueAt, ...(owed === "StepCompleted" && { step: "takePayment" }) }],
  });
}

test("the host died after the write: the sweep that sends the status raises the alert, once", async () => {
  await leftInError();
  world.clock += A_MINUTE_MS;
  expect(await sweep(world)).toMatchObject({ published: 1 });
  expect(await sweep(world)).toMatchObject({ found: 0 });
  expect(alerts()).toBe(1);
});

test("P9 a rejection that leaves the job to a person raises the alert", async () => {
  world.answers.set("pickUp", () => ({ kind: "rejected", message: "nobody at home" }));
  await world.submit(sampleJob("job-1", { workflow: "returns" }));
  await runStep(await world.firstTask({ jobId: "job-1", attempt: 1, direction: "forward" }), world);
  expect(await world.stateOf()).toMatchObject({ processState: "Error", outbox: [] });
  expect(alerts()).toBe(1);
});

test("a job whose Failed was sent, and that owes another message, raises no alert again", async () => {
  await leftInError("StepCompleted");
  world.clock += A_MINUTE_MS;
  expect(await sweep(world)).toMatchObject({ published: 1 });
  expect(world.statuses).toMatchObject([{ status: "StepCompleted", step: "takePayment" }]);
  expect(alerts()).toBe(0);
});

test("while the bus is down no sweep raises it again and again", async () => {
  await leftInError();
  world.clock += A_MINUTE_MS;
  world.publishFault = new Error("no bus");
  await sweep(world);
  world.clock += A_MINUTE_MS;
  await sweep(world);
  world.publishFault = undefined;
  world.clock += 2 * A_MINUTE_MS;
  await sweep(world);
  expect(alerts()).toBe(1);
});

test("the attempt's last activity raises it where the one that wrote the Error died", async () => {
  await leftInError();
  await publishEndOf({ jobId: "job-1", attempt: 1 }, world);
  await publishEndOf({ jobId: "job-1", attempt: 1 }, world);
  expect(alerts()).toBe(1);
});

test("the answer to the supervisor's own write of the Error is lost: the next sweep raises the alert", async () => {
  const job = sampleJob("job-1", { workflow: "returns" });
  world.answers.set("pickUp", () => ({ kind: "expired" }));
  await world.submit(job);
  for (let round = 0; (await world.stateOf())?.processState !== "Error"; round += 1) {
    if (round > 9) throw new Error("no Error");
    const start = world.startAttempts.at(-1) ?? { jobId: "job-1", attempt: 1, direction: "forward" as const };
    if ((await world.stateOf())?.processState === "Pending") await world.claim(start);
    await runStep(await world.firstTask(start), world);
    world.clock = Date.parse((await world.stateOf())?.dueAt ?? "") + 5000;
    await sweep(withLostAnswers());
  }
  expect(alerts()).toBe(0);
  world.clock += A_MINUTE_MS;
  await sweep(world);
  expect(alerts()).toBe(1);
});

/** The store makes the write of an Error, and its answer does not arrive. */
function withLostAnswers(): World {
  const { store } = world;
  return {
    ...world,
    store: {
      ...store,
      async replace(read, record) {
        const written = await store.replace(read, record);
        if (record.processState === "Error") throw new StoreUnavailable("replace", new Error("no answer"));
        return written;
      },
    },
  };
}
