// What a life of an order is made of: how it begins, what goes wrong, and the end that it has to come to.
import { hasEnded, isDone, isInHand, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Arm, Scenario as Driven } from "@scheduler-agent-supervisor/testing/faults";
import type { End, Step } from "../check-life.ts";
import type { Hand } from "./rig.ts";

export interface Scenario extends Driven<Hand> {
  /** `[actor | point | fault] what happens`: a row of docs/reference/failure-modes.md. */
  readonly title: string;
  /** Undefined: no record may come of it. */
  readonly end?: End;
  /** Where it dies is its own business, whatever other scenarios die at. */
  readonly isOwn?: true;
  /** It dies at these of its points alone. */
  readonly diesAt?: RegExp;
  /** The other end that it may come to if the host was killed. */
  readonly endIfKilled?: End;
}

export const done: End = {};
export const BEFORE_SHIPPING: readonly Step[] = ["reserveStock", "takePayment", "checkFraud"];
/** Where each line is reserved by itself. */
export const BY_LINE: readonly Step[] = ["reserveStock_1", "reserveStock_2"];
export const compensated: End = {
  error: "compensated",
  steps: BEFORE_SHIPPING,
  compensated: ["reserveStock", "takePayment"],
};
export const cardRejected: End = { error: "rejected", steps: ["reserveStock", "checkFraud"] };

export const rejectsCard = { kind: "reject", status: 402, message: "card expired", path: "/charges" } as const;
export const isDown = { kind: "down", path: "/shipments" } as const;
export const failing = (...points: string[]): Arm[] => points.map((point) => ({ point, act: "throw" }));

export const ended = ({ processState }: StateRecord) => hasEnded(processState);
const quiet = (record: StateRecord) => ended(record) && record.outbox.length === 0;
export const inHand = (step: Step) => (record: StateRecord) => isInHand(record.steps[step] ?? null);
export const isAwaited = ({ steps }: StateRecord) => steps["arrangeShipping"]?.state === "Awaiting";
export const isErrorOf = (kind: string) => (record: StateRecord) => quiet(record) && record.error?.kind === kind;

/** Its shipping runs out of time once. */
export async function retry(hand: Hand): Promise<void> {
  const lift = await hand.fault("shipping", isDown);
  await hand.send({ workflow: "hasty" });
  await hand.until(({ attempt }) => attempt > 1);
  await lift();
}

/** Its shipping waits for a service that is down. @returns how to lift that */
export async function whileShipping(
  hand: Hand,
  changes: Parameters<Hand["send"]>[0] = {},
): Promise<() => Promise<void>> {
  const lift = await hand.fault("shipping", isDown);
  await hand.send(changes);
  await hand.until(inHand("arrangeShipping"));
  return lift;
}

/** The check beside it is done before the card is rejected, so that its outcome is on record. */
export async function rejectCard(hand: Hand): Promise<() => Promise<void>> {
  const lift = await hand.fault("payment", rejectsCard);
  // After a 503 the charge may have been made, and its content could not be edited.
  const letThrough = await hand.fault("payment", { kind: "down", status: 429, path: "/charges" });
  await hand.send();
  await hand.until(({ steps }) => isDone(steps["checkFraud"], "forward"));
  await letThrough();
  await hand.until(isErrorOf("rejected"));
  return lift;
}
