// P8: what an agent knows of its last try is written before complete-by; after it nothing is sent, and nothing accepted.
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAuditLog } from "../support/audit-log.ts";
import { madeOrder } from "../support/made-order.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const STEP_MS = 10_000;
/** An agent behind a queue says that it is at work after this time; it is recorded as started then. */
const SAID_AFTER_MS = 2000;
/** Half of what an agent keeps for it. */
const NOTED_BEFORE_MS = 500;

let app: TestStack;
beforeAll(async () => {
  app = await startTestStack();
});
afterAll(() => app?.[Symbol.asyncDispose]());

const CASES = [
  ["an activity", "inventory", "reserveStock", 0],
  ["behind a queue", "fraud", "checkFraud", SAID_AFTER_MS],
] as const;

test.each(CASES)(
  "P8 of an agent that is %s nothing comes after complete-by",
  async (_, service, step, knownAfterMs) => {
    const orderId = `late-${service}`;
    await app.switchOn(service, { kind: "slow", delayMs: 60_000, match: { orderId } });
    await app.shop.send(madeOrder(orderId));
    const taken = await app.eventually(orderId, ({ steps }) => steps[step]?.state === "Running");
    const run = taken.steps[step];
    // The agent's own: the record allows for the wait before it took the step up.
    const completeBy = Date.parse(run?.startedAt ?? "") - knownAfterMs + STEP_MS;
    expect(completeBy).toBeGreaterThan(Date.now());
    const known = ({ steps }: StateRecord) => steps[step]?.expiry !== undefined;
    const { steps } = await app.eventually(orderId, known, STEP_MS + 5000);
    const { at, message } = steps[step]?.expiry ?? {};
    expect(Date.parse(at ?? "")).toBeLessThan(completeBy - NOTED_BEFORE_MS);
    expect(message).toContain("no answer");
    const failed = await app.eventually(orderId, ({ failureCount }) => failureCount === 1, STEP_MS);
    expect(failed.steps[step]?.expiry?.at).toBe(at);
    const late = (await openAuditLog(app.settings)).filter((one) => one.kind === "lateReply" && one.jobId === orderId);
    expect(late).toEqual([]);
  },
);
