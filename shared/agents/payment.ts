// The agent of the payment service: holds an order's total, takes it, and gives it back. Amounts are in the currency's smallest unit.
import { defineAgent, idAs, serviceId, statusAs, whatToCompensate } from "@scheduler-agent-supervisor/core/agents";
import { z } from "zod";
import { amounts, type Order, orderTotal } from "../contracts/order.ts";
import { reservedRefund } from "../contracts/refund.ts";
import { RESERVING_STEP } from "../domain/refund.ts";

const amount = z.int();

export const paymentAgent = defineAgent({
  name: "payment",
  service: { setting: "PaymentEndpoints", local: "http://127.0.0.1:7081;capacity=64" },
  seen: ({ orderId, lines, currency, paymentToken }: Order) => ({
    orderId,
    lines: amounts(lines),
    currency,
    paymentToken,
  }),
  reads: { takePayment: z.object({ chargeId: serviceId }), [RESERVING_STEP]: reservedRefund },
  answers: [
    /** An earlier try under the same key is still being done (draft-ietf-httpapi-idempotency-key-header, 2.7). */
    { status: 409, code: "request-in-progress", means: "later" },
    { status: 402, means: "rejected" },
    { status: 404, code: "not-found", means: "rejected" },
    { status: 409, means: "rejected" },
    { status: 422, means: "rejected" },
  ],
  results: {
    authorize: idAs("chargeId", { amount }),
    void: statusAs("status"),
    capture: statusAs("status", { chargeId: serviceId, amount }),
    refund: statusAs("status"),
    refundReturn: idAs("refundId", { amount }),
  },
  operations: {
    authorize: ({ job: { orderId, lines, currency, paymentToken: token } }) => ({
      path: "charges",
      body: { orderId, amount: orderTotal({ lines }), currency, token },
      adds: { amount: orderTotal({ lines }) },
    }),
    /** Compensates `authorize`. */
    void: (call) => ({
      path: `charges/${whatToCompensate(call, "chargeId")}/void`,
      body: { orderId: call.job.orderId },
    }),
    capture: ({ job, results: { takePayment } }) => {
      if (!takePayment) return { kind: "rejected", message: "the step takePayment recorded no charge to capture" };
      const { chargeId } = takePayment;
      const amount = orderTotal(job);
      return {
        path: `charges/${encodeURIComponent(chargeId)}/capture`,
        body: { orderId: job.orderId, amount },
        adds: { chargeId, amount },
      };
    },
    /** Compensates `capture`. */
    refund: (call) => ({
      path: `charges/${whatToCompensate(call, "chargeId")}/refund`,
      body: { orderId: call.job.orderId },
    }),
    /** Money back for goods that came back: of the charge and as much as was reserved, whatever the return itself says. */
    refundReturn: ({ job: { orderId }, results: { [RESERVING_STEP]: reserved } }) => {
      if (!reserved) return { kind: "rejected", message: `the step ${RESERVING_STEP} reserved nothing to refund` };
      const { chargeId, amount, currency } = reserved;
      return { path: "refunds", body: { orderId, chargeId, amount, currency }, adds: { amount } };
    },
  },
});
