// What a client orders: the business content, its contract, and what of it is secret.
import {
  type Job as Content,
  type Contracts,
  defineContract,
  jobId,
  jobMembers,
} from "@scheduler-agent-supervisor/core/app";
import { z } from "zod";
import { RETURN_WORKFLOWS } from "./refund.ts";

const TEXT_LIMIT = 200;
const LINE_LIMIT = 100;
/** RFC 5321 section 4.5.3.1.3: a path of 256 octets has two of its own. */
const EMAIL_LIMIT = 254;
const text = z.string().trim().min(1).max(TEXT_LIMIT);

export interface OrderLine {
  readonly sku: string;
  readonly quantity: number;
  /** In the currency's smallest unit. */
  readonly unitPrice: number;
}

interface Address {
  readonly name: string;
  readonly street: string;
  readonly city: string;
  readonly postalCode: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}

export interface Order extends Content {
  readonly orderId: string;
  /** Of a return: the order that was sold. */
  readonly returnOf?: string | undefined;
  readonly customer: { readonly id: string; readonly email?: string | undefined };
  readonly lines: readonly OrderLine[];
  /** ISO 4217. */
  readonly currency: string;
  readonly paymentToken: string;
  readonly shipTo: Address;
}

/** The order's value in its currency's smallest unit. */
export function orderTotal(order: { readonly lines: readonly Pick<OrderLine, "quantity" | "unitPrice">[] }): number {
  return order.lines.reduce((total, line) => total + line.quantity * line.unitPrice, 0);
}

/** What a service that handles goods gets of the lines. */
export function goods(lines: readonly OrderLine[]) {
  return lines.map(({ sku, quantity }) => ({ sku, quantity }));
}

/** What a service that handles money gets of the lines. */
export function amounts(lines: readonly OrderLine[]) {
  return lines.map(({ quantity, unitPrice }) => ({ quantity, unitPrice }));
}

/** Of an order that names none. */
export const USUAL_WORKFLOW = "order-fulfilment";

const schema = z.strictObject({
  orderId: jobId,
  ...jobMembers(USUAL_WORKFLOW),
  returnOf: jobId.optional(),
  customer: z.strictObject({ id: text, email: z.email().max(EMAIL_LIMIT).optional() }),
  lines: z
    .array(
      z.strictObject({
        sku: text,
        quantity: z.int().min(1).max(10_000),
        unitPrice: z.int().min(0).max(100_000_000),
      }),
    )
    .min(1)
    .max(LINE_LIMIT),
  currency: z.string().regex(/^[A-Z]{3}$/, "must be an ISO 4217 code such as EUR"),
  paymentToken: text,
  shipTo: z.strictObject({
    name: text,
    street: text,
    city: text,
    postalCode: text,
    country: z.string().regex(/^[A-Z]{2}$/, "must be an ISO 3166-1 alpha-2 code such as DE"),
  }),
}) satisfies z.ZodType<Order>;

/** As a client sends it. */
export type OrderMessage = z.input<typeof schema>;

/** Of all workflows: a return says beside it what was sold. */
export const orderContract = defineContract<Order>({
  idName: "orderId",
  schema,
  secrets: ["paymentToken"],
  keys: ["customer", "returnOf"],
  fairnessKey: "customer.id",
  keysOf: ({ customer, returnOf }) => ({ customer: customer.id, ...(returnOf !== undefined && { returnOf }) }),
  faults: ({ workflow, returnOf }) => {
    if (RETURN_WORKFLOWS.includes(workflow) === (returnOf !== undefined)) return [];
    const fault = returnOf === undefined ? "is missing: the order whose goods come back" : `is not for ${workflow}`;
    return [`returnOf: ${fault}`];
  },
});

export const contracts = { usual: orderContract, usualWorkflow: USUAL_WORKFLOW, of: {} } satisfies Contracts;
