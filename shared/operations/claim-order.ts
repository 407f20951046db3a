// The scheduler's claim (P4): one attempt takes a Pending order, exclusively, and gets its plan.
import { type ClaimOutcome, firstOpenStep, type Wake } from "../domain/attempt.ts";
import { attemptId, type StateRecord } from "../domain/state-record.ts";
import { attemptOf, claim, started } from "../domain/transitions.ts";
import { stepsInOrder } from "../domain/workflow.ts";
import { instant, type Ports, type Telemetry } from "./ports.ts";

/** Order of writes: the claim, then the Started message. Run again after a death in between, it finds the claim its own. */
export async function claimOrder(wake: Wake, ports: Ports, telemetry: Telemetry): Promise<ClaimOutcome> {
  const { orderId, attempt } = wake;
  const plan = stepsInOrder(ports.workflows.of(wake.workflow));
  const step = firstOpenStep(plan, wake.steps);
  const waiting = step && wake.steps[step.name];
  if (!waiting) throw new Error(`attempt ${attempt} of order ${orderId} has no step left to run`);

  const now = instant(ports.now());
  const next = { name: step.name, record: started(waiting, step.completeWithin, now) };
  const written = await ports.store.change(orderId, claim(wake, next, now));
  const record = written.kind === "written" ? written.record : await heldAlready(wake, ports);
  if (!record) {
    telemetry.event("ClaimRefused", { orderId, attempt });
    return { kind: "taken" };
  }
  telemetry.event("OrderClaimed", { orderId, attempt, priority: record.priority });
  const { replyTo, correlationId, traceparent } = record;
  const reply = { replyTo, correlationId, traceparent };
  const told = await ports.messenger.tell(reply, { orderId, attempt, status: "Started", at: now });
  if (told === "no-such-queue") telemetry.event("StatusUndeliverable", { orderId, status: "Started", queue: replyTo });
  return { kind: "claimed", attempt: attemptOf(wake, plan, record.steps, reply) };
}

async function heldAlready({ orderId, attempt }: Wake, ports: Ports): Promise<StateRecord | undefined> {
  const stored = await ports.store.state(orderId);
  return stored?.record.lockedBy === attemptId(orderId, attempt) ? stored.record : undefined;
}
