// What the tests of the agents that call a service have to know of each: one entry for an agent.
import type { agents } from "../../shared/agents.ts";

type ServiceAgent = Extract<(typeof agents)[number], { readonly kind: "service" }>;
export type AgentName = ServiceAgent["name"];
type OperationOf<Name extends AgentName> = keyof Extract<ServiceAgent, { readonly name: Name }>["results"] & string;

/** A step's operation and the one that compensates it. */
interface Pair<Operation extends string> {
  readonly forward: Operation;
  readonly compensation: Operation;
  /** The member of the result that has the service's id. */
  readonly id: string;
  /** What the compensation records. */
  readonly status: string;
  /** What the service calls the compensation; absent: as the agent does. */
  readonly action?: string;
}

interface AgentCase<Operation extends string> {
  /** What it gets of an order: the path of each value; of lists that of the first entry. */
  readonly seen: readonly string[];
  /** The operation that shows what its service's answers mean. */
  readonly asked: Operation;
  /** The service's own answers: status, code and meaning. */
  readonly answers?: readonly (readonly [status: number, code: string, means: "rejected" | "unavailable"])[];
  /** Those of a service that knows idempotency keys, and where `forward` needs no result of another step. */
  readonly pairs?: readonly Pair<Operation>[];
}

const GOODS = ["orderId", "lines.0.sku", "lines.0.quantity"];

export const agentCases: { readonly [name in AgentName]: AgentCase<OperationOf<name>> } = {
  inventory: {
    seen: GOODS,
    asked: "reserve",
    answers: [
      [404, "not-found", "rejected"],
      [409, "out-of-stock", "rejected"],
      [422, "unknown-sku", "rejected"],
      [423, "being-counted", "unavailable"],
    ],
    pairs: [
      { forward: "reserve", compensation: "release", id: "reservationId", status: "released" },
      { forward: "restock", compensation: "withdraw", id: "restockId", status: "withdrawn" },
    ],
  },
  payment: {
    seen: ["orderId", "lines.0.quantity", "lines.0.unitPrice", "currency", "paymentToken"],
    asked: "authorize",
    answers: [
      [402, "card-declined", "rejected"],
      [404, "not-found", "rejected"],
      [409, "already-undone", "rejected"],
      [409, "request-in-progress", "unavailable"],
      [422, "key-reused", "rejected"],
    ],
    // `capture` has its own tests.
    pairs: [{ forward: "authorize", compensation: "void", id: "chargeId", status: "voided" }],
  },
  fraud: {
    seen: [
      "orderId",
      "customer.id",
      "customer.email",
      "lines.0.quantity",
      "lines.0.unitPrice",
      "currency",
      "shipTo.country",
    ],
    asked: "check",
    answers: [
      [403, "rejected", "rejected"],
      [422, "suspicious", "rejected"],
    ],
  },
  shipping: {
    seen: [...GOODS, ...["name", "street", "city", "postalCode", "country"].map((member) => `shipTo.${member}`)],
    asked: "arrange",
    answers: [
      [404, "not-found", "rejected"],
      [409, "on-its-way", "rejected"],
      [422, "no-such-address", "rejected"],
    ],
    pairs: [
      { forward: "arrange", compensation: "cancel", id: "shipmentId", status: "cancelled" },
      { forward: "pickUp", compensation: "cancelPickUp", id: "pickupId", status: "cancelled", action: "cancel" },
    ],
  },
  hotel: {
    seen: GOODS,
    asked: "book",
    pairs: [{ forward: "book", compensation: "cancel", id: "bookingId", status: "cancelled" }],
  },
  // Their services know no idempotency keys: they have their own tests.
  flight: { seen: GOODS, asked: "book" },
  car: { seen: GOODS, asked: "rent" },
  // A new agent's entry goes here.
  approval: { seen: ["orderId", "currency", "customer.id", "lines.0.quantity", "lines.0.unitPrice"], asked: "ask" },
};

export const casesByAgent = Object.entries(agentCases) as [AgentName, AgentCase<string>][];
