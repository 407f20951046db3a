// The agent of the payment service: holds an order's total, takes it, and gives it back.

import type { AgentCall, AgentReply, DeclaredAgent } from "@scheduler-agent-supervisor/core/agents/agent";
import {
  callService,
  isId,
  keepId,
  keepStatus,
  type ServiceCall,
  whatToCompensate,
} from "@scheduler-agent-supervisor/core/agents/http-service";
import type { AnswerRule } from "@scheduler-agent-supervisor/core/agents/service-answers";
import { type Order, type OrderLine, orderTotal } from "../contracts/order.ts";
import { RESERVING_STEP } from "../domain/refund.ts";

const answers: readonly AnswerRule[] = [
  /** An earlier try under the same key is still being done (draft-ietf-httpapi-idempotency-key-header, 2.7). */
  { status: 409, code: "request-in-progress", means: "later" },
  { status: 402, means: "rejected" },
  { status: 404, code: "not-found", means: "rejected" },
  { status: 409, means: "rejected" },
  { status: 422, means: "rejected" },
];

/** What it gets of an order. */
interface Seen extends Pick<Order, "orderId" | "currency" | "paymentToken"> {
  readonly lines: readonly Pick<OrderLine, "quantity" | "unitPrice">[];
}

const seen = ({ orderId, lines, currency, paymentToken }: Order): Seen => ({
  orderId,
  lines: lines.map(({ quantity, unitPrice }) => ({ quantity, unitPrice })),
  currency,
  paymentToken,
});

export const paymentAgent = {
  name: "payment",
  seen,
  operations: {
    authorize: (call) =>
      payment(call, {
        path: "charges",
        body: money(call.order),
        keep: keepId("chargeId", { amount: orderTotal(call.order) }),
      }),
    /** Compensates `authorize`. */
    void: (call) =>
      payment(call, {
        path: `charges/${whatToCompensate(call, "chargeId")}/void`,
        body: { orderId: call.order.orderId },
        keep: keepStatus,
      }),
    capture,
    /** Compensates `capture`. */
    refund: (call) =>
      payment(call, {
        path: `charges/${whatToCompensate(call, "chargeId")}/refund`,
        body: { orderId: call.order.orderId },
        keep: keepStatus,
      }),
    refundReturn,
  },
} as const satisfies DeclaredAgent<Seen>;

/** The step whose charge is captured. */
const AUTHORIZING_STEP = "takePayment";

async function capture(call: AgentCall<Seen>): Promise<AgentReply> {
  const chargeId = authorizedCharge(call);
  if (!chargeId) return { kind: "rejected", message: `the step ${AUTHORIZING_STEP} recorded no charge to capture` };
  return payment(call, {
    path: `charges/${encodeURIComponent(chargeId)}/capture`,
    body: { orderId: call.order.orderId, amount: orderTotal(call.order) },
    keep: (answer) => ({ ...keepStatus(answer), chargeId, amount: orderTotal(call.order) }),
  });
}

/** Money back for goods that came back: of the charge and as much as was reserved, whatever the return itself says. */
async function refundReturn(call: AgentCall<Seen>): Promise<AgentReply> {
  const { chargeId, amount, currency = null } = call.results[RESERVING_STEP] ?? {};
  if (typeof chargeId !== "string" || typeof amount !== "number") {
    return { kind: "rejected", message: `the step ${RESERVING_STEP} reserved nothing to refund` };
  }
  return payment(call, {
    path: "refunds",
    body: { orderId: call.order.orderId, chargeId, amount, currency },
    keep: keepId("refundId", { amount }),
  });
}

function payment(call: AgentCall<Seen>, service: Omit<ServiceCall, "answers">): Promise<AgentReply> {
  return callService({ ...service, answers }, call);
}

function authorizedCharge({ results }: AgentCall<Seen>): string | undefined {
  const chargeId = results[AUTHORIZING_STEP]?.["chargeId"];
  return isId(chargeId) ? chargeId : undefined;
}

function money(order: Seen) {
  return { orderId: order.orderId, amount: orderTotal(order), currency: order.currency, token: order.paymentToken };
}
