// An operator resubmits a job while a step of it waits for its service, or an agent is at work on one (P9, P22): that goes on as it was, and the next attempt begins at once.
import { defineApp } from "@scheduler-agent-supervisor/core/app";
import { NO_RULES, type RecoveryPolicy, workflowsOf } from "@scheduler-agent-supervisor/core/workflows";
import { expect, test } from "vitest";
import { agents, contracts } from "../../tests/loan.ts";
import { createWorld } from "./create-world.ts";

const within = { completeWithin: "PT1M" } as const;
const POLICY: RecoveryPolicy = { failureThreshold: 3, waits: ["P3D"], onExhausted: "fail", onRejected: "fail" };
const withdraw = { compensation: { operation: "withdraw", ...within } } as const;

/** A contract is signed by a person while it is paid out, and the payment is rejected. */
function loanRejected() {
  const loan = workflowsOf(
    agents,
    NO_RULES,
  )({
    name: "loan",
    version: 1,
    policy: POLICY,
    steps: [
      { name: "sign", agent: "office", operation: "send", after: [], ...within, awaitWithin: "P14D", ...withdraw },
      { name: "payOut", agent: "office", operation: "payOut", after: [], ...within, ...withdraw },
    ],
  });
  const world = createWorld({ business: defineApp({ contracts, agents, workflows: [loan] }) });
  const service = world.service("office");
  service.reportsLater("send", { after: "P1D", result: { contractId: "c-1" } });
  service.rejects("payOut", { times: 1 });
  return { world, service };
}

const content = { jobId: "loan-1" };
const ID = "loan-1";

test("P9 P22 a step that waits for its report beside a rejected one goes on: it is asked once, and reported on its day", async () => {
  const { world, service } = loanRejected();
  await world.submit(content);
  await world.run({ for: "PT1H" });
  expect(world.record(ID)).toMatchObject({ processState: "Error", error: { kind: "rejected" } });
  expect(await world.operator.resubmit(ID)).toMatchObject({ kind: "done" });
  await world.run({ for: "PT1H" });
  expect(world.steps(ID)).toEqual({ sign: "Awaiting", payOut: "Completed" });
  await world.run();
  expect(world.record(ID)).toMatchObject({ processState: "Processed", failureCount: 0 });
  expect(world.now < "2026-01-03").toBe(true);
  expect(service.callsOf("send")).toHaveLength(1);
});

test.each(["cancel", "compensate", "resubmit"] as const)(
  "P9 P13 %s after a resubmission begins at once, however long a step may wait",
  async (action) => {
    const { world, service } = loanRejected();
    service.rejects("payOut", { times: 2 });
    await world.submit(content);
    await world.run({ for: "PT1H" });
    await world.operator.resubmit(ID);
    if (action !== "cancel") await world.run({ for: "PT1H" });
    expect(await world.operator[action](ID)).toMatchObject({ kind: "done" });
    await world.run({ for: "PT1H" });
    const ends = { cancel: "Cancelled", compensate: "Compensated", resubmit: "Processing" } as const;
    expect(world.record(ID).processState).toBe(ends[action]);
  },
);

test("P9 P22 a wait that was over before the resubmission is begun again", async () => {
  const { world, service } = loanRejected();
  service.reportsLater("send", {});
  await world.submit(content);
  await world.run({ for: "P15D" });
  expect(world.record(ID).processState).toBe("Error");
  service.works("send");
  await world.operator.resubmit(ID);
  await world.run();
  expect(world.record(ID).processState).toBe("Processed");
  expect(service.callsOf("send")).toHaveLength(2);
});

test("P9 P22 what a service accepts while its job is in Error is awaited after the resubmission: no failure is counted", async () => {
  const { world, service } = loanRejected();
  service.answers("send", { status: 202, body: { id: "c-1", status: "accepted" }, takes: "PT30S" });
  await world.submit(content);
  await world.run({ for: "PT10S" });
  expect(world.record(ID).processState).toBe("Error");
  await world.run({ for: "PT1M" });
  expect(world.steps(ID)).toMatchObject({ sign: "Awaiting" });
  await world.operator.resubmit(ID);
  await world.run({ for: "P1D" });
  expect(world.record(ID)).toMatchObject({ processState: "Processing", failureCount: 0 });
  await world.operator.report(ID, "sign", { kind: "done", result: { contractId: "c-2" }, reason: "signed" });
  await world.run();
  expect(world.record(ID)).toMatchObject({ processState: "Processed", failureCount: 0 });
  expect(service.callsOf("send")).toHaveLength(1);
});
