// The scheduler's claim (P4): one attempt takes a Pending order, exclusively, and gets its plan.
import { attemptOf, type ClaimOutcome, type Wake } from "../domain/attempt.ts";
import { openLevel, planOf } from "../domain/plan.ts";
import { holderId, type StateRecord } from "../domain/state-record.ts";
import { started } from "../domain/step-run.ts";
import { claim, claimAndConclude } from "../domain/transitions.ts";
import type { Workflow } from "../domain/workflow.ts";
import type { Versioned } from "../store/order-store.ts";
import { fromHere } from "../telemetry/trace-context.ts";
import { concludeOrder, endingOf } from "./conclude-order.ts";
import { instant, type Ports, type Telemetry } from "./ports.ts";
import { tell, tellSteps } from "./tell.ts";

/**
 * Order of writes: the claim, then the Started message. Run again after a death in between, or for an attempt that is started
 * again where its record stands, it finds the claim its own; then it also tells the steps that were completed meanwhile, for
 * whoever completed one may have died before it said so, and the next step's message would overtake it.
 */
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
    await tell(record, { status: "Started", attempt, at: now }, ports, telemetry);
    if (written.kind !== "written") await tellSteps(record, ports, telemetry);
  }
  return { kind: "claimed", attempt: attemptOf(fromHere(record), holder, plan) };
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
  const concluded = written.kind === "written" ? written : await concludedAlready(wake, ports);
  if (!concluded) return { kind: "taken" };
  await concludeOrder(concluded, ports, telemetry);
  return { kind: "concluded" };
}

/** An earlier run of this claim concluded the order and died before it told the shop: nobody else writes under its attempt. */
async function concludedAlready({ orderId, attempt }: Wake, ports: Ports): Promise<Versioned | undefined> {
  const stored = await ports.store.state(orderId);
  const { processState } = stored?.record ?? {};
  const ended = processState === "Processed" || processState === "Error";
  return ended && stored?.record.attempt === attempt ? stored : undefined;
}

async function heldAlready({ orderId }: Wake, holder: string, ports: Ports): Promise<StateRecord | undefined> {
  const stored = await ports.store.state(orderId);
  return stored?.record.lockedBy === holder ? stored.record : undefined;
}
