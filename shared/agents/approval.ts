// The agent that asks a person: the service behind it puts the question before whoever may answer, and reports the answer.

import {
  type AnswerRule,
  callService,
  defineAgent,
  keepId,
  referenceId,
  serviceId,
} from "@scheduler-agent-supervisor/core/agents";
import { z } from "zod";
import { type Order, type OrderLine, orderTotal } from "../contracts/order.ts";

const answers: readonly AnswerRule[] = [{ status: 422, means: "rejected" }];

/** What it gets of an order. */
interface Seen extends Pick<Order, "orderId" | "currency"> {
  readonly customer: Pick<Order["customer"], "id">;
  readonly lines: readonly Pick<OrderLine, "quantity" | "unitPrice">[];
}

export const approvalAgent = defineAgent({
  name: "approval",
  service: { setting: "ApprovalEndpoints", local: "http://127.0.0.1:7088", isOptional: true },
  seen: ({ orderId, currency, customer, lines }: Order): Seen => ({
    orderId,
    currency,
    customer: { id: customer.id },
    lines: lines.map(({ quantity, unitPrice }) => ({ quantity, unitPrice })),
  }),
  results: { ask: z.object({ approvalId: serviceId }) },
  operations: {
    ask: (call) => {
      const { orderId, currency, customer } = call.job;
      const amount = orderTotal(call.job);
      return callService(
        {
          path: "requests",
          body: { orderId, currency, amount, customerId: customer.id, reportTo: call.completion?.url },
          keep: keepId("approvalId"),
          reference: referenceId,
          answers,
        },
        call,
      );
    },
  },
});
