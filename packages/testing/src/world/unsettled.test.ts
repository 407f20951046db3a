// P13 P32: a request that was given up may still land. Its compensation comes after that, or a person is asked.
import { defineAgent, idAs, statusAs, whatToCompensate } from "@scheduler-agent-supervisor/core/agents";
import {
  type CheckedServices,
  type Contracts,
  defineApp,
  defineContract,
  type Job,
  jobId,
  jobMembers,
} from "@scheduler-agent-supervisor/core/app";
import { NO_RULES, type RecoveryPolicy, workflowsOf } from "@scheduler-agent-supervisor/core/workflows";
import { expect, test } from "vitest";
import { z } from "zod";
import { createWorld } from "./create-world.ts";

interface Trip extends Job {
  readonly jobId: string;
}
const trips = defineContract<Trip>({
  schema: z.strictObject({ ...jobMembers("trip"), jobId }),
  ...{ secrets: [], keys: [], keysOf: () => ({}) },
});
const contracts = { usual: trips, usualWorkflow: "trip", of: {} } satisfies Contracts;

const LATE_MS = 8000;
const SETTLES_MS = 20_000;

const agentOf = (manner: { readonly atMostOnce?: true; readonly settlesWithinMs?: number }) =>
  defineAgent({
    name: "rental",
    service: { setting: "RentalEndpoints", local: "http://127.0.0.1:7280" },
    seen: ({ jobId }: Trip) => ({ jobId }),
    answers: [{ status: 422, means: "rejected" }],
    results: { rent: idAs("rentalId"), cancel: statusAs("status"), pay: idAs("paymentId") },
    operations: {
      rent: () => ({ path: "rentals", body: {} }),
      cancel: (call) => ({ path: `rentals/${whatToCompensate(call, "rentalId")}/cancel`, body: {} }),
      pay: () => ({ path: "payments", body: {} }),
    },
    policies: { rent: { tryTimeoutMs: 2000, tries: 1, ...manner } },
  });

/** What it takes to have the rental compensated while nobody knows whether it was done. */
type Reason =
  | "its tries are used up"
  | "it is rejected, as it is not done again"
  | "a step beside it is rejected"
  | "it is skipped";

function tripOf(reason: Reason, manner: Parameters<typeof agentOf>[0], own: Partial<RecoveryPolicy> = {}) {
  const agent = agentOf(manner);
  const step = { agent: "rental", after: [], completeWithin: "PT5S" } as const;
  const trip = workflowsOf(
    [agent],
    NO_RULES,
    contracts,
  )({
    ...{ name: "trip", version: 1 },
    policy: { failureThreshold: 1, waits: [], onExhausted: "compensate", onRejected: "compensate", ...own },
    steps: [
      {
        ...{
          ...step,
          name: "rentCar",
          operation: "rent",
          compensation: { operation: "cancel", completeWithin: "PT5S" },
        },
        ...(reason === "a step beside it is rejected" && { policy: { failureThreshold: 9, waits: ["PT1H"] } }),
        ...(reason === "it is skipped" && { optional: true }),
      },
      { ...step, name: "pay", operation: "pay", compensation: "nothing" },
    ],
  });
  const world = createWorld({ business: defineApp({ contracts, agents: [agent], workflows: [trip] }) });
  const service = world.service("rental");
  // It does each request that reaches it, late, and knows nothing of compensations that came before.
  service.switchOn({ kind: "slow", operation: "rent", delayMs: LATE_MS, calls: 1 });
  if (reason === "a step beside it is rejected") {
    service.switchOn({ kind: "slow", operation: "pay", delayMs: 4000, calls: 1 });
    service.switchOn({ kind: "reject", operation: "pay" });
  }
  return { world, service };
}

const REASONS: readonly (readonly [Reason, Parameters<typeof agentOf>[0]])[] = [
  ["its tries are used up", {}],
  ["it is rejected, as it is not done again", { atMostOnce: true }],
  ["a step beside it is rejected", {}],
  ["it is skipped", { atMostOnce: true }],
];

test.each(REASONS)("P32 %s: its compensation comes when it can't land any more", async (reason, manner) => {
  const { world, service } = tripOf(reason, { ...manner, settlesWithinMs: SETTLES_MS });
  await world.submit({ jobId: "trip-1" });
  await world.run();
  const [first] = service.callsOf("rent");
  const cancelled = service.callsOf("cancel");
  expect(cancelled).toHaveLength(1);
  const ms = Date.parse(cancelled[0]?.at ?? "") - Date.parse(first?.at ?? "");
  // The service took it after its delay: the settle time counts from the end of the last try at the earliest.
  expect(ms).toBeGreaterThanOrEqual(SETTLES_MS - LATE_MS + 2000);
  expect(ms).toBeLessThan(SETTLES_MS + 60_000);
  expect(world.record("trip-1").processState).toBe(reason === "it is skipped" ? "Processed" : "Compensated");
});

test.each(REASONS)(
  "P32 %s: with onUnknown a person is asked, and nothing is cancelled unseen",
  async (reason, manner) => {
    const { world, service } = tripOf(reason, manner, { onUnknown: "fail" });
    await world.submit({ jobId: "trip-1" });
    await world.run();
    expect(service.callsOf("cancel")).toEqual([]);
    const record = world.record("trip-1");
    expect(record.processState).toBe(reason === "it is skipped" ? "Processed" : "Error");
    const left = world.events
      .filter(({ name }) => name === "CompensationIncomplete")
      .map(({ attributes }) => attributes["step"]);
    const isFirst = reason === "its tries are used up" || reason === "it is rejected, as it is not done again";
    expect(left).toEqual(isFirst ? [] : ["rentCar"]);
    if (reason === "it is skipped") return;

    const recorded = await world.operator.recordOutcome("trip-1", "rentCar", {
      outcome: "done",
      result: { rentalId: "r-1" },
    });
    expect(recorded.kind).toBe("done");
    if (reason === "a step beside it is rejected") {
      await world.run();
      expect(service.callsOf("cancel")).toHaveLength(1);
      expect(world.record("trip-1").processState).toBe("Compensated");
    }
  },
);

test("a service that does what was compensated before needs a person, or a query, at start", () => {
  const agent = agentOf({ atMostOnce: true });
  const checkedServices: CheckedServices<[typeof agent]> = {
    rental: { at: "2026-11-29", operations: { rent: { compensatedFirst: "fails" } } },
  };
  const step = { agent: "rental", after: [], completeWithin: "PT5S", operation: "rent" } as const;
  const faultsWith = (policy: Partial<RecoveryPolicy>) => {
    const trip = workflowsOf(
      [agent],
      NO_RULES,
      contracts,
    )({
      ...{ name: "trip", version: 1 },
      policy: { failureThreshold: 1, waits: [], onExhausted: "compensate", onRejected: "compensate" },
      steps: [{ ...step, name: "rentCar", policy, compensation: { operation: "cancel", completeWithin: "PT5S" } }],
    });
    return () => defineApp({ contracts, agents: [agent], workflows: [trip], checkedServices }).loadWorkflows();
  };
  expect(faultsWith({})).toThrow("the service of rental does rent although its compensation came first");
  expect(faultsWith({ onUnknown: "compensate" })).toThrow("say onUnknown");
  expect(faultsWith({ onUnknown: "fail" })).not.toThrow();
  expect(faultsWith({ onUnknown: "never" as never })).toThrow('policy.onUnknown must be "fail" or "compensate"');
});
