// The agent that asks a person: the service behind it puts the question before whoever may answer, and reports the answer.
import { defineAgent, idAs } from "@scheduler-agent-supervisor/core/agents";
import { amounts, type Order, orderTotal } from "../contracts/order.ts";

export const approvalAgent = defineAgent({
  name: "approval",
  service: { setting: "ApprovalEndpoints", local: "http://127.0.0.1:7088", isOptional: true },
  seen: ({ orderId, currency, customer, lines }: Order) => ({
    orderId,
    currency,
    customer: { id: customer.id },
    lines: amounts(lines),
  }),
  answers: [{ status: 422, means: "rejected" }],
  results: { ask: idAs("approvalId") },
  operations: {
    ask: ({ job: { orderId, currency, customer, lines }, completion }) => ({
      path: "requests",
      body: { orderId, currency, amount: orderTotal({ lines }), customerId: customer.id, reportTo: completion?.url },
      mayBeDoneLater: true,
    }),
  },
});
