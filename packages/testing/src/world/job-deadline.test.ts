// A job with a deadline: a contract is sent, signed by a person and paid out within ten days, or what was done is compensated (P35).
import { defineApp } from "@scheduler-agent-supervisor/core/app";
import type { JobDeadline } from "@scheduler-agent-supervisor/core/domain";
import { NO_RULES, type RecoveryPolicy, workflowsOf } from "@scheduler-agent-supervisor/core/workflows";
import { expect, test } from "vitest";
import { agents, contracts } from "../../tests/loan.ts";
import { createSteppedWorld } from "./create-world.ts";

const within = { completeWithin: "PT1M" } as const;
const POLICY: RecoveryPolicy = { failureThreshold: 3, waits: ["P3D", "P30D"], onExhausted: "fail", onRejected: "fail" };

function loanWith(deadline?: JobDeadline) {
  const loan = workflowsOf(
    agents,
    NO_RULES,
  )({
    name: "loan",
    version: 1,
    policy: POLICY,
    ...(deadline && { deadline }),
    steps: [
      {
        ...{ name: "sign", agent: "office", operation: "send", after: [], ...within, awaitWithin: "P14D" },
        compensation: { operation: "withdraw", ...within },
      },
      { name: "payOut", agent: "office", operation: "payOut", after: ["sign"], ...within, compensation: "nothing" },
    ],
  });
  const world = createSteppedWorld({ business: defineApp({ contracts, agents, workflows: [loan] }) });
  const service = world.service("office");
  service.reportsLater("send", { after: "P3D", result: { contractId: "c-1" } });
  return { world, service };
}

const content = { jobId: "loan-1" };
const COMPENSATED: JobDeadline = { completeWithin: "P10D", onExpired: "compensate" };
const FAILED: JobDeadline = { completeWithin: "P10D", onExpired: "fail" };
const PASSES = "2026-01-11T12:00:00.000Z";
const eventsNamed = ({ events }: ReturnType<typeof loanWith>["world"], wanted: string) =>
  events.filter(({ name }) => name === wanted);

test("P35 a job that is done in time has its deadline until it ends, and nothing comes of it", async () => {
  const { world } = loanWith(COMPENSATED);
  await world.submit(content);
  expect(world.record("loan-1").deadlineAt).toBe(PASSES);
  await world.run();
  expect(world.record("loan-1")).toMatchObject({ processState: "Processed", attempt: 1 });
  expect(world.record("loan-1").deadlineAt ?? null).toBeNull();
  expect(world.now < PASSES).toBe(true);
});

test("P35 without a deadline the record has none, and the job waits as long as its steps may", async () => {
  const { world, service } = loanWith();
  service.reportsLater("send", { after: "P13D", result: { contractId: "c-1" } });
  await world.submit(content);
  expect(world.record("loan-1")).not.toHaveProperty("deadlineAt");
  await world.run();
  expect(world.record("loan-1").processState).toBe("Processed");
});

type Service = ReturnType<typeof loanWith>["service"];
/** Has it stand still; returns how it goes on. */
type Stand = (service: Service) => () => void;
const forEver = () => undefined;
const STANDS: readonly (readonly [what: string, stand: Stand, withdrawals: number])[] = [
  ["a step awaits its report", (service) => service.reportsLater("send", {}) ?? forEver, 1],
  ["a step waits for its third retry", (service) => service.hangs("payOut") ?? forEver, 1],
  ["no endpoint takes a call, and an agent's circuit is open", (service) => service.switchOn({ kind: "down" }), 0],
];

test.each(STANDS)("P35 the deadline passes while %s: it is compensated, once", async (_, stand, withdrawals) => {
  const { world, service } = loanWith(COMPENSATED);
  const goOn = stand(service);
  await world.submit(content);
  await world.run({ until: () => world.now > PASSES });
  goOn();
  await world.run();
  const record = world.record("loan-1");
  expect(record).toMatchObject({
    processState: "Compensated",
    direction: "compensate",
    error: { kind: "deadlinePassed" },
  });
  expect(record.error?.message).toContain(`it was not done by its deadline ${PASSES}`);
  expect(record).not.toHaveProperty("deadlineAt");
  expect(
    service.callsOf("withdraw").filter(({ outcome }) => typeof outcome === "object" && outcome.status !== 503),
  ).toHaveLength(Math.max(withdrawals, 1));
  expect(eventsNamed(world, "JobDeadlinePassed")).toMatchObject([
    { attributes: { jobId: "loan-1", deadlineAt: PASSES, onExpired: "compensate" } },
  ]);
  expect(world.statuses("loan-1").at(-1)).toMatchObject({ status: "Compensated" });
});

test.each(STANDS)(
  "P35 the deadline passes while %s, and an operator is to act: Error, and a resubmission has a new deadline",
  async (_, stand) => {
    const { world, service } = loanWith(FAILED);
    stand(service);
    await world.submit(content);
    await world.run({ until: () => world.record("loan-1").processState === "Error" });
    expect(world.record("loan-1")).toMatchObject({
      direction: "forward",
      lockedBy: null,
      error: { kind: "deadlinePassed" },
    });
    expect(world.record("loan-1")).not.toHaveProperty("deadlineAt");
    await world.run({ until: () => world.statuses("loan-1").at(-1)?.status === "Failed" });
    expect(eventsNamed(world, "JobErrored")).toMatchObject([{ attributes: { kind: "deadlinePassed" } }]);
    service.works();
    expect(await world.operator.resubmit("loan-1")).toMatchObject({ kind: "done" });
    const days = (Date.parse(world.record("loan-1").deadlineAt ?? "") - Date.parse(world.now)) / 86_400_000;
    expect(Math.round(days)).toBe(10);
    await world.run();
    expect(world.record("loan-1")).toMatchObject({ processState: "Processed", error: null });
  },
);

test("P35 what was reported to a job whose deadline has passed is recorded, and the job stays in Error", async () => {
  const { world, service } = loanWith(FAILED);
  service.reportsLater("send", { after: "P12D", result: { contractId: "late" } });
  await world.submit(content);
  await world.run();
  expect(world.now >= "2026-01-13T12:00:00.000Z").toBe(true);
  expect(world.record("loan-1")).toMatchObject({ processState: "Error", error: { kind: "deadlinePassed" } });
  expect(world.results("loan-1")).toEqual({ sign: { contractId: "late" } });
  expect(service.callsOf("payOut")).toEqual([]);
});

test("P35 a job whose compensation lasts longer than its deadline is compensated to the end", async () => {
  const { world, service } = loanWith(FAILED);
  service.rejects("payOut");
  service.isDoneLater("withdraw", { after: "PT1M", askAgainAfter: "PT1M" });
  await world.submit(content);
  await world.run({ until: () => world.record("loan-1").processState === "Error" });
  service.hangs("withdraw", { times: 4 });
  await world.operator.compensate("loan-1");
  await world.run();
  expect(world.now > PASSES).toBe(true);
  expect(world.record("loan-1")).toMatchObject({
    direction: "compensate",
    error: { kind: expect.not.stringMatching("deadline") },
  });
  expect(eventsNamed(world, "JobDeadlinePassed")).toEqual([]);
});

test("P35 an operator extends the deadline alone, and the job is done in the time that it gained", async () => {
  const { world, service } = loanWith(COMPENSATED);
  service.reportsLater("send", { after: "P12D", result: { contractId: "c-1" } });
  await world.submit(content);
  await world.run({ for: "P9D" });
  const { dueAt } = world.record("loan-1");
  expect(await world.operator.extend("loan-1", { by: "P3D", only: "deadline" })).toMatchObject({ kind: "done" });
  expect(world.record("loan-1")).toMatchObject({ deadlineAt: "2026-01-14T12:00:00.000Z", dueAt });
  await world.run();
  expect(world.record("loan-1").processState).toBe("Processed");
});

test("P35 an extension of all of a job's time is one of its deadline too; one of a deadline that there is not is rejected", async () => {
  const { world, service } = loanWith(COMPENSATED);
  service.reportsLater("send", {});
  await world.submit(content);
  await world.run({ for: "P1D" });
  await world.operator.extend("loan-1", { by: "P1D" });
  expect(world.record("loan-1").deadlineAt).toBe("2026-01-12T12:00:00.000Z");
  const other = loanWith();
  other.service.reportsLater("send", {});
  await other.world.submit(content);
  expect(await other.world.operator.extend("loan-1", { by: "P1D", only: "deadline" })).toMatchObject({
    kind: "rejected",
    reason: "it has no deadline",
  });
});

test("P35 P16 whatever process is killed at whatever event after the deadline, the job is compensated once", async () => {
  for (const process of ["supervisor", "scheduler", "office"]) {
    for (let event = 0; event < 12; event += 1) {
      const { world, service } = loanWith(COMPENSATED);
      service.reportsLater("send", {});
      await world.submit(content);
      await world.run({ until: () => world.now >= PASSES });
      for (let done = 0; done < event; done += 1) await world.step();
      world.kill(process);
      await world.run();
      const what = `${process}, event ${event}`;
      expect(world.record("loan-1"), what).toMatchObject({
        processState: "Compensated",
        error: { kind: "deadlinePassed" },
      });
      expect(new Set(service.callsOf("withdraw").map(({ idempotencyKey }) => idempotencyKey)).size, what).toBe(1);
    }
  }
});
