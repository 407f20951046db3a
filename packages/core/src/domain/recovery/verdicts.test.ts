// The rule of a verdict names the step whose failures count, and the limit that they have reached.
import { expect, test } from "vitest";
import { sampleRecord } from "../../../tests/jobs.ts";
import type { RecoveryPolicy } from "../definition/workflow.ts";
import { ruleInWords } from "./verdicts.ts";

const policy: RecoveryPolicy = {
  failureThreshold: 3,
  waits: [],
  onExhausted: "compensate",
  onRejected: "compensate",
};
const record = { ...sampleRecord(), failureCount: 5, completeBy: "2026-01-31T12:00:00.000Z" };
const about = (kind: "retry" | "compensate", failures: number) =>
  ruleInWords(record, { kind, step: "takePayment", failures }, () => policy);

test.each([
  ["retry", 2, "failure 2 of takePayment, below the threshold of 3"],
  ["compensate", 3, "failure 3 of takePayment, at the threshold of 3 or above: the policy says compensate"],
] as const)("%s after %i failures of the step", (kind, failures, words) =>
  expect(about(kind, failures)).toContain(words),
);
