// The agent of the payment service: holds an order's total, takes it, and gives it back.
import { type Order, orderTotal } from "../domain/order.ts";
import type { Agent, AgentReply, AgentRequest } from "./agent.ts";
import { callService, keepId, keepStatus, type ServiceCall, whatToUndo } from "./http-service.ts";

export const paymentAgent = {
  name: "payment",
  operations: {
    authorize: (request) =>
      payment(request, {
        path: "charges",
        body: money(request.order),
        keep: keepId("chargeId", { amount: orderTotal(request.order) }),
      }),
    /** Undoes `authorize`. */
    void: (request) =>
      payment(request, {
        path: `charges/${whatToUndo(request, "chargeId")}/void`,
        body: { orderId: request.order.orderId },
        keep: keepStatus,
      }),
    capture,
    /** Undoes `capture`. */
    refund: (request) =>
      payment(request, {
        path: `charges/${whatToUndo(request, "chargeId")}/refund`,
        body: { orderId: request.order.orderId },
        keep: keepStatus,
      }),
    /** Money back for goods that came back: of an order of its own, so there is no charge here to name. */
    refundReturn: (request) =>
      payment(request, {
        path: "refunds",
        body: money(request.order),
        keep: keepId("refundId", { amount: orderTotal(request.order) }),
      }),
  },
} as const satisfies Agent;

/** The step whose charge is captured. */
const AUTHORIZING_STEP = "takePayment";

async function capture(request: AgentRequest): Promise<AgentReply> {
  const chargeId = authorizedCharge(request);
  if (!chargeId) return { kind: "rejected", message: `the step ${AUTHORIZING_STEP} recorded no charge to capture` };
  return payment(request, {
    path: `charges/${encodeURIComponent(chargeId)}/capture`,
    body: { orderId: request.order.orderId, amount: orderTotal(request.order) },
    keep: (answer) => ({ ...keepStatus(answer), chargeId, amount: orderTotal(request.order) }),
  });
}

/** 409 with this word: an earlier try under the same key is still being done (draft-ietf-httpapi-idempotency-key-header, 2.7). */
const KEY_IN_USE = "request-in-progress";

function payment(request: AgentRequest, call: ServiceCall): Promise<AgentReply> {
  return callService({ ...call, isFinal: (status, code) => status !== 409 || code !== KEY_IN_USE }, request);
}

function authorizedCharge({ results }: AgentRequest): string | undefined {
  const chargeId = results[AUTHORIZING_STEP]?.["chargeId"];
  return typeof chargeId === "string" ? chargeId : undefined;
}

function money(order: Order) {
  return { orderId: order.orderId, amount: orderTotal(order), currency: order.currency, token: order.paymentToken };
}
