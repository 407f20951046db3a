// A loan whose contract is sent, signed by a person and paid out: its requests, its wait and its compensation have budgets of their own (P11).
import { defineApp } from "@scheduler-agent-supervisor/core/app";
import { NO_RULES, type RecoveryPolicy, workflowsOf } from "@scheduler-agent-supervisor/core/workflows";
import { expect, test } from "vitest";
import { agents, contracts } from "../../tests/loan.ts";
import { createWorld } from "./create-world.ts";

const within = { completeWithin: "PT10S" } as const;
const POLICY: RecoveryPolicy = { failureThreshold: 1, waits: [], onExhausted: "fail", onRejected: "compensate" };

async function loanWith(policy: Partial<RecoveryPolicy>) {
  const loan = workflowsOf(
    agents,
    NO_RULES,
  )({
    name: "loan",
    version: 1,
    policy: { ...POLICY, ...policy },
    steps: [
      {
        ...{ name: "sign", agent: "office", operation: "send", after: [], ...within, awaitWithin: "P14D" },
        compensation: { operation: "withdraw", ...within },
      },
      { name: "payOut", agent: "office", operation: "payOut", after: ["sign"], ...within, compensation: "nothing" },
    ],
  });
  const world = createWorld({ business: defineApp({ contracts, agents, workflows: [loan] }) });
  const service = world.service("office");
  service.reportsLater("send", { after: "P3D", result: { contractId: "c-1" } });
  return { world, service };
}

const content = { jobId: "loan-1" };

test.each([
  [{ compensation: { failureThreshold: 3 } }, "Compensated", 2],
  [{}, "Error", 1],
] as const)("P11 P13 a withdrawal fails once, with %j: the loan is %s", async (policy, ends, times) => {
  const { world, service } = await loanWith(policy);
  service.rejects("payOut");
  service.hangs("withdraw", { times: 1 });
  await world.submit(content);
  await world.run();
  expect(world.record("loan-1").processState).toBe(ends);
  expect(service.callsOf("withdraw")).toHaveLength(times);
  expect(service.callsOf("send")).toHaveLength(1);
});

test("P11 P22 signed within 14 days, else cancelled: an outage loses no loan, and one contract is sent", async () => {
  const policy = { failureThreshold: 3, onAwaitExpired: "compensate", compensation: { failureThreshold: 3 } } as const;
  const { world, service } = await loanWith(policy);
  service.switchOn({ kind: "down", forMs: 15_000 });
  service.reportsLater("send", {});
  await world.submit(content);
  await world.run();
  expect(world.record("loan-1")).toMatchObject({
    processState: "Compensated",
    error: { kind: "expired", step: "sign" },
    steps: { sign: { accepted: expect.anything() } },
  });
  expect(world.record("loan-1").error?.message).toContain("its wait for a report expired");
  expect(
    service.callsOf("send").filter(({ outcome }) => typeof outcome === "object" && outcome.status !== 503),
  ).toHaveLength(1);
  expect(service.callsOf("withdraw")).toHaveLength(1);
  expect(world.now.slice(0, 10)).toBe("2026-01-15");
});
