// The scheduler's claim (P4): one attempt takes a Pending order, exclusively, and gets its plan.
import type { Attempt, ClaimOutcome, Wake } from "../domain/attempt.ts";
import { openLevel, type Plan, planOf } from "../domain/plan.ts";
import { holderId, type StateRecord } from "../domain/state-record.ts";
import { started } from "../domain/step-run.ts";
import { claim, claimAndConclude } from "../domain/transitions.ts";
import type { Workflow } from "../domain/workflow.ts";
import { concludeOrder, endingOf } from "./conclude-order.ts";
import { instant, type Ports, type Telemetry } from "./ports.ts";

/** Order of writes: the claim, then the Started message. Run again after a death in between, it finds the claim its own. */
export async function claimOrder(wake: Wake, ports: Ports, telemetry: Telemetry): Promise<ClaimOutcome> {
  const { orderId, attempt, direction, steps } = wake;
  const workflow = ports.workflows.of(wake.workflow);
  const plan = planOf(workflow, steps, direction);
  const level = openLevel(plan, steps, direction);
  const holder = holderId(orderId, attempt, ports.taskHub);
  if (level.length === 0) return concludeAtOnce(wake, workflow, holder, ports, telemetry);

  const now = instant(ports.now());
  const next = level.map(({ name, completeWithin }) => {
    const record = steps[name];
    if (!record) throw new Error(`the record of order ${orderId} has no step ${name}`);
    return started({ name, record, completeWithin }, direction, now);
  });
  const written = await ports.store.change(orderId, claim(wake, next, holder, now));
  const record = written.kind === "written" ? written.record : await heldAlready(wake, holder, ports);
  if (!record) {
    telemetry.event("ClaimRefused", { orderId, attempt });
    return { kind: "taken" };
  }
  telemetry.event("OrderClaimed", { orderId, attempt, direction, priority: record.priority });
  if (direction === "forward") {
    const told = await ports.messenger.tell(record, { orderId, attempt, status: "Started", at: now });
    if (told === "no-such-queue")
      telemetry.event("StatusUndeliverable", { orderId, status: "Started", queue: record.replyTo });
  }
  return { kind: "claimed", attempt: attemptOf(record, holder, plan) };
}

/** An undo that finds nothing to undo, or an order resubmitted with all its steps completed. */
async function concludeAtOnce(
  wake: Wake,
  workflow: Workflow,
  holder: string,
  ports: Ports,
  telemetry: Telemetry,
): Promise<ClaimOutcome> {
  const { orderId, direction, steps } = wake;
  const now = instant(ports.now());
  const cause = direction === "undo" ? ((await ports.store.state(orderId))?.record.error ?? null) : null;
  const ending = endingOf(workflow, direction === "undo" ? { steps, cause } : null, now);
  const written = await ports.store.change(orderId, claimAndConclude(wake, ending, holder, now));
  const record = written.kind === "written" ? written.record : await concludedAlready(wake, ports);
  if (!record) return { kind: "taken" };
  await concludeOrder(record, ports, telemetry);
  return { kind: "concluded" };
}

/** An earlier run of this claim concluded the order and died before it told the shop: nobody else writes under its attempt. */
async function concludedAlready({ orderId, attempt }: Wake, ports: Ports): Promise<StateRecord | undefined> {
  const record = (await ports.store.state(orderId))?.record;
  const ended = record?.processState === "Processed" || record?.processState === "Error";
  return ended && record.attempt === attempt ? record : undefined;
}

async function heldAlready({ orderId }: Wake, holder: string, ports: Ports): Promise<StateRecord | undefined> {
  const stored = await ports.store.state(orderId);
  return stored?.record.lockedBy === holder ? stored.record : undefined;
}

function attemptOf(record: StateRecord, lockedBy: string, plan: Plan): Attempt {
  const { orderId, attempt, direction, workflow, orderRevision, priority, steps } = record;
  const { replyTo, replyToSessionId, correlationId, traceparent } = record;
  return {
    orderId,
    attempt,
    lockedBy,
    direction,
    workflow,
    orderRevision,
    priority,
    plan,
    steps,
    reply: { replyTo, replyToSessionId, correlationId, traceparent },
  };
}
