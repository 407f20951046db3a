// An operator's hand in the tests' world.
import type { WantedVersion } from "../../shared/messaging/entity-tag.ts";
import type { OperatorRequest } from "../../shared/messaging/operator-request.ts";
import { operateOrder } from "../../shared/operations/operate-order.ts";
import type { OrderStore } from "../../shared/store/order-store.ts";
import type { World } from "./world.ts";

export const resubmit = {
  kind: "resubmit",
  reason: "card renewed",
  order: null,
  compensatedManually: false,
} as const satisfies OperatorRequest;
export const compensate = { kind: "compensate", reason: "shop asked" } as const satisfies OperatorRequest;

/** What Ada asks of the order `order-1`. */
export function operateIn(
  world: World,
  request: OperatorRequest,
  store: OrderStore = world.store,
  ifMatch: WantedVersion = "any",
) {
  return operateOrder("order-1", request, { by: "ada", ifMatch }, { ...world, store }, world.telemetry);
}

/** Runs the attempt that was asked for last. */
export async function runNextIn(world: World) {
  const startAttempt = world.startAttempts.at(-1);
  if (!startAttempt) throw new Error("the scheduler was not told");
  return world.runAttempt(startAttempt);
}
