// The agent of the payment service: holds an order's total, takes it, and gives it back.

import {
  type AgentCall,
  type AgentReply,
  type AnswerRule,
  callService,
  defineAgent,
  keepId,
  keepStatus,
  type ServiceCall,
  serviceId,
  statusResult,
  whatToCompensate,
} from "@scheduler-agent-supervisor/core/agents";
import { z } from "zod";
import { type Order, type OrderLine, orderTotal } from "../contracts/order.ts";
import { reservedRefund } from "../contracts/refund.ts";
import { RESERVING_STEP } from "../domain/refund.ts";

const answers: readonly AnswerRule[] = [
  /** An earlier try under the same key is still being done (draft-ietf-httpapi-idempotency-key-header, 2.7). */
  { status: 409, code: "request-in-progress", means: "later" },
  { status: 402, means: "rejected" },
  { status: 404, code: "not-found", means: "rejected" },
  { status: 409, means: "rejected" },
  { status: 422, means: "rejected" },
];

/** The step whose charge is captured. */
const AUTHORIZING_STEP = "takePayment";

const chargeMade = z.object({ chargeId: serviceId });

/** Amounts are in the currency's smallest unit. */
const charge = chargeMade.extend({ amount: z.int() });

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

export const paymentAgent = defineAgent({
  name: "payment",
  service: { setting: "PaymentEndpoints", local: "http://127.0.0.1:7081;capacity=64" },
  seen,
  reads: { [AUTHORIZING_STEP]: chargeMade, [RESERVING_STEP]: reservedRefund },
  results: {
    authorize: charge,
    void: statusResult,
    capture: z.object({ ...statusResult.shape, ...charge.shape }),
    refund: statusResult,
    refundReturn: z.object({ refundId: serviceId, amount: z.int() }),
  },
  operations: {
    authorize: (call) =>
      payment(call, {
        path: "charges",
        body: money(call.job),
        keep: keepId("chargeId", { amount: orderTotal(call.job) }),
      }),
    /** Compensates `authorize`. */
    void: (call) =>
      payment(call, {
        path: `charges/${whatToCompensate(call, "chargeId")}/void`,
        body: { orderId: call.job.orderId },
        keep: keepStatus,
      }),
    capture,
    /** Compensates `capture`. */
    refund: (call) =>
      payment(call, {
        path: `charges/${whatToCompensate(call, "chargeId")}/refund`,
        body: { orderId: call.job.orderId },
        keep: keepStatus,
      }),
    refundReturn,
  },
});

/** What it reads of the steps before. */
interface Read {
  readonly [AUTHORIZING_STEP]?: z.output<typeof chargeMade>;
  readonly [RESERVING_STEP]?: z.output<typeof reservedRefund>;
}

async function capture(call: AgentCall<Seen, Read>): Promise<AgentReply> {
  const authorized = call.results[AUTHORIZING_STEP];
  if (!authorized) return { kind: "rejected", message: `the step ${AUTHORIZING_STEP} recorded no charge to capture` };
  const { chargeId } = authorized;
  return payment(call, {
    path: `charges/${encodeURIComponent(chargeId)}/capture`,
    body: { orderId: call.job.orderId, amount: orderTotal(call.job) },
    keep: (answer) => ({ ...keepStatus(answer), chargeId, amount: orderTotal(call.job) }),
  });
}

/** Money back for goods that came back: of the charge and as much as was reserved, whatever the return itself says. */
async function refundReturn(call: AgentCall<Seen, Read>): Promise<AgentReply> {
  const reserved = call.results[RESERVING_STEP];
  if (!reserved) return { kind: "rejected", message: `the step ${RESERVING_STEP} reserved nothing to refund` };
  const { chargeId, amount, currency } = reserved;
  return payment(call, {
    path: "refunds",
    body: { orderId: call.job.orderId, chargeId, amount, currency },
    keep: keepId("refundId", { amount }),
  });
}

function payment(call: AgentCall<Seen, Read>, service: Omit<ServiceCall, "answers">): Promise<AgentReply> {
  return callService({ ...service, answers }, call);
}

function money(order: Seen) {
  return { orderId: order.orderId, amount: orderTotal(order), currency: order.currency, token: order.paymentToken };
}
