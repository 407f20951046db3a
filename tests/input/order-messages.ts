// Order messages as anybody might send them: valid, nearly valid, and hostile. Seeded: the same seed makes the same messages.
import fc from "fast-check";
import { sampleOrder } from "../support/orders.ts";

export interface Case {
  /** What stands in the message, as it goes over the wire; a Buffer goes as bytes. */
  readonly body: unknown;
  readonly kind: "valid" | "nearly valid" | "hostile";
  /** What one of the faults has to name; absent where the message is valid or nothing in it can be named. */
  readonly fault?: string;
}

type Json = Record<string, unknown>;

const text = (max: number) =>
  fc.string({ minLength: 1, maxLength: max, unit: "grapheme" }).filter((one) => one.trim() !== "");
const line = fc.record({
  sku: text(40),
  quantity: fc.integer({ min: 1, max: 10_000 }),
  unitPrice: fc.integer({ min: 0, max: 100_000_000 }),
});

const letters = (count: number) =>
  fc.string({ minLength: count, maxLength: count, unit: fc.constantFrom(..."ABCXYZ") });

const validOrder: fc.Arbitrary<Json> = fc.record(
  {
    workflow: fc.constantFrom("order-fulfilment", "smoke"),
    priority: fc.constantFrom("normal", "high"),
    customer: fc.record({ id: text(60), email: fc.constant("ada@example.com") }, { requiredKeys: ["id"] }),
    lines: fc.array(line, { minLength: 1, maxLength: 5 }),
    currency: letters(3),
    // Not "constructor" or another word that fast-check likes to give twice: a secret that stands elsewhere too is a fault.
    paymentToken: text(50).map((one) => `payment-${one}`),
    shipTo: fc.record({ name: text(60), street: text(60), city: text(60), postalCode: text(12), country: letters(2) }),
  },
  { requiredKeys: ["customer", "lines", "currency", "paymentToken", "shipTo"] },
);

/** One thing is wrong, at a place that a fault has to name. */
const BREAKS: readonly (readonly [fault: string, (order: Json) => Json])[] = [
  ["customer", ({ customer: _, ...order }) => order],
  ["customer.id", (order) => ({ ...order, customer: { id: " " } })],
  ["customer.email", (order) => ({ ...order, customer: { id: "c", email: "no address" } })],
  ["customer", (order) => ({ ...order, customer: null })],
  ["lines", (order) => ({ ...order, lines: [] })],
  ["lines", (order) => ({ ...order, lines: Array.from({ length: 101 }, () => sampleOrder().lines[0]) })],
  ["lines[0].quantity", (order) => ({ ...order, lines: [{ sku: "a", quantity: 0, unitPrice: 1 }] })],
  ["lines[0].quantity", (order) => ({ ...order, lines: [{ sku: "a", quantity: "1", unitPrice: 1 }] })],
  ["lines[0].quantity", (order) => ({ ...order, lines: [{ sku: "a", quantity: 1.5, unitPrice: 1 }] })],
  ["lines[0].unitPrice", (order) => ({ ...order, lines: [{ sku: "a", quantity: 1, unitPrice: -1 }] })],
  ["lines[0].unitPrice", (order) => ({ ...order, lines: [{ sku: "a", quantity: 1, unitPrice: 1e308 }] })],
  ["lines[0].sku", (order) => ({ ...order, lines: [{ sku: "x".repeat(201), quantity: 1, unitPrice: 1 }] })],
  ["currency", (order) => ({ ...order, currency: "eur" })],
  ["currency", (order) => ({ ...order, currency: ["EUR"] })],
  ["paymentToken", (order) => ({ ...order, paymentToken: 7 })],
  ["shipTo", (order) => ({ ...order, shipTo: { ...sampleOrder().shipTo, name: `to ${order["paymentToken"]}` } })],
  ["shipTo.country", (order) => ({ ...order, shipTo: { ...sampleOrder().shipTo, country: "Germany" } })],
  ["shipTo.street", (order) => ({ ...order, shipTo: { ...sampleOrder().shipTo, street: "" } })],
  ["workflow", (order) => ({ ...order, workflow: "constructor" })],
  ["workflow", (order) => ({ ...order, workflow: "__proto__" })],
  ["returnOf", (order) => ({ ...order, workflow: "returns" })],
  ["returnOf", (order) => ({ ...order, workflow: "order-fulfilment", returnOf: "order-1" })],
  ["priority", (order) => ({ ...order, priority: "urgent" })],
  ["orderId", (order) => ({ ...order, orderId: "../../etc/passwd" })],
  ["orderId", (order) => ({ ...order, orderId: "x".repeat(81) })],
  ["orderId", (order) => ({ ...order, orderId: "" })],
  ["orderId", (order) => ({ ...order, orderId: { $gt: "" } })],
];

/** Names that the host's metadata, or JavaScript itself, has too. */
const CLASHES = [
  "messageId",
  "MessageId",
  "replyTo",
  "correlationId",
  "sessionId",
  "deliveryCount",
  "lockToken",
] as const;
const PROTOTYPE_KEYS = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"] as const;

const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

const hostileText: fc.Arbitrary<Case> = fc
  .oneof(
    fc.json({ maxDepth: 3 }),
    fc.string({ maxLength: 200, unit: "binary" }),
    fc.constantFrom(
      "",
      "null",
      "true",
      "123",
      '"an order"',
      "[]",
      "{}",
      "{not json",
      '{"orderId":',
      "\u0000",
      "\ud800",
      "NaN",
    ),
    fc.integer({ min: 100, max: 3000 }).map((depth) => nested(depth, "[", "]")),
    fc.integer({ min: 100, max: 3000 }).map((depth) => nested(depth, '{"a":', "}").replace(":}", ":1}")),
    fc.constantFrom('{"__proto__":{"orderId":"polluted"}}', '{"constructor":{"prototype":{"x":1}}}'),
  )
  .map((body) => ({ body, kind: "hostile" }));

const hostileObject = (order: Json): fc.Arbitrary<Case> =>
  fc.oneof(
    fc.constantFrom(...CLASHES, ...PROTOTYPE_KEYS).map((name): Case => {
      // Over JSON, for an object literal would set the prototype in the place of a member.
      const body = `${JSON.stringify(order).slice(0, -1)},${JSON.stringify(name)}:"clash"}`;
      return { body, kind: "hostile", fault: name };
    }),
    fc.integer({ min: 10_000, max: 150_000 }).map((size): Case => {
      return { body: { ...order, paymentToken: "x".repeat(size) }, kind: "hostile", fault: "paymentToken" };
    }),
    fc.integer({ min: 51, max: 2000 }).map((count): Case => {
      const extra = Object.fromEntries(Array.from({ length: count }, (_, index) => [`extra${index}`, index]));
      return { body: { ...order, ...extra }, kind: "hostile", fault: "extra0" };
    }),
    fc.integer({ min: 200, max: 2000 }).map((count): Case => {
      return { body: { ...order, lines: Array.from({ length: count }, () => ({})) }, kind: "hostile", fault: "lines" };
    }),
    fc.anything({ maxDepth: 3, withNullPrototype: true }).map((value): Case => {
      return { body: { ...order, shipTo: plain(value) }, kind: "hostile", fault: "shipTo" };
    }),
    fc
      .uint8Array({ minLength: 1, maxLength: 500 })
      .map((bytes): Case => ({ body: Buffer.from(bytes), kind: "hostile" })),
  );

/** What JSON makes of it. */
function plain(value: unknown): unknown {
  const json = JSON.stringify(value, (_, one) => (typeof one === "bigint" ? String(one) : one));
  return json === undefined ? null : JSON.parse(json);
}

const any = fc.tuple(validOrder, fc.constantFrom(...BREAKS), hostileText, fc.integer({ min: 0, max: 99 }));

/** One in ten valid, half nearly valid, the rest hostile. Every object has an order id of its own, unless that is its fault. */
export function orderMessages(seed: number, count: number): Case[] {
  const samples = fc.sample(any, { seed, numRuns: count });
  return samples.map(([order, [fault, broken], hostile, share], index): Case => {
    const own = { ...order, orderId: `generated-${index}` };
    if (share < 10) return { body: own, kind: "valid" };
    if (share < 60) return { body: broken(own), kind: "nearly valid", fault };
    if (share < 80) return hostile;
    const [made] = fc.sample(hostileObject(own), { seed: seed + index, numRuns: 1 });
    return made ?? hostile;
  });
}
