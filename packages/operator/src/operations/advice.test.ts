// Advice over a sample of the last week's jobs: bounded in what it reads, and read rarely.
import type { StepRecord, Workflow } from "@scheduler-agent-supervisor/core/domain";
import { expect, test, vi } from "vitest";
import { advice as schema } from "../answers/advice.ts";
import { parseAdviceQuery } from "../messaging/advice-request.ts";
import { createAdvice } from "./advice.ts";

const NOON = Date.parse("2026-01-08T12:00:00Z");
const loan: Workflow = {
  name: "loan",
  version: 2,
  policy: { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "fail" },
  steps: [
    { name: "pay", agent: "bank", operation: "pay", after: [], completeWithin: "PT30S", compensation: "nothing" },
  ],
};

test("it reads a bounded sample of each half day of the week, once in ten minutes for everybody, and says its size", async () => {
  let clock = NOON;
  const paid = {
    scheduledAt: "2026-01-05T00:00:00Z",
    startedAt: "2026-01-05T00:00:01Z",
    endedAt: "2026-01-05T00:00:03Z",
  };
  const steps = { pay: { ...paid, retryCount: 0, waitCount: 0 } as StepRecord };
  const jobs = vi.fn(async (_from: string, _before: string, limit: number) =>
    Array.from({ length: limit }, () => ({ workflow: { name: "loan", version: 2 }, steps })),
  );
  const read = createAdvice({ jobs, workflows: [loan, { ...loan, name: "other" }], now: () => clock });
  const found = await read(undefined, {});
  expect(schema.parse(found)).toMatchObject({
    since: "2026-01-01T12:00:00.000Z",
    sampled: 700,
    mostSampled: 1400,
    workflows: [
      { name: "loan", version: 2, jobs: 700, steps: [{ proposed: { startWithin: "PT10S", completeWithin: "PT10S" } }] },
      { name: "other", jobs: 0, steps: [{ proposed: null }] },
    ],
  });
  expect(jobs).toHaveBeenCalledTimes(14);
  expect(jobs.mock.calls[0]).toEqual(["2026-01-08T00:00:00.000Z", "2026-01-08T12:00:00.000Z", 50]);
  expect(jobs.mock.calls.at(-1)).toEqual(["2026-01-01T12:00:00.000Z", "2026-01-02T00:00:00.000Z", 50]);
  const asked = await read("loan", { completeWithinMs: 1000 });
  expect(asked.workflows).toMatchObject([{ steps: [{ outlook: { asked: { timedOut: 700 } } }] }]);
  expect(jobs).toHaveBeenCalledTimes(14);
  clock += 600_000;
  await read("loan", {});
  expect(jobs).toHaveBeenCalledTimes(28);
});

test("every fault of a request is named", () => {
  const query = new URLSearchParams({ startWithin: "10 s", completeWithin: "", failureThreshold: "0", of: "x" });
  const parsed = parseAdviceQuery(query);
  expect(parsed.kind === "invalid" && parsed.faults).toHaveLength(4);
  expect(parseAdviceQuery(new URLSearchParams({ completeWithin: "PT20S" }))).toMatchObject({
    value: { workflow: undefined, changes: { completeWithinMs: 20_000 } },
  });
});
