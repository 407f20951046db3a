// The app and the client, which share no code, have one digest for one content.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { contentDigest as clientDigest } from "@scheduler-agent-supervisor/client/requests";
import { contentDigest as appDigest } from "@scheduler-agent-supervisor/core/agents";
import fc from "fast-check";
import { expect, test } from "vitest";
import { USUAL_WORKFLOW } from "../../shared/contracts/order.ts";

/** As the app receives it. */
const received = (order: object): unknown => JSON.parse(JSON.stringify(order));

test("P15 client and app have the same digest of an order, whatever is in it and left out of it", async () => {
  const order = fc.record(
    {
      orderId: fc.string(),
      workflow: fc.constantFrom("returns", "order-fulfilment", " returns "),
      priority: fc.constantFrom("normal", "high"),
      customer: fc.record({ id: fc.string({ unit: "binary" }), email: fc.option(fc.string(), { nil: undefined }) }),
      lines: fc.array(fc.record({ sku: fc.string(), quantity: fc.integer(), unitPrice: fc.integer() })),
      shipTo: fc.dictionary(fc.string(), fc.string({ unit: "grapheme" })),
    },
    { requiredKeys: ["orderId", "lines"] },
  );
  await fc.assert(
    fc.asyncProperty(order, async (one) => {
      expect(await clientDigest(one as never, USUAL_WORKFLOW)).toBe(appDigest(received(one), USUAL_WORKFLOW));
    }),
    { numRuns: 300 },
  );
});

test("the digest that docs/how-to/submitting.md gives for its example", () => {
  const read = (file: string) => readFileSync(join(import.meta.dirname, "../..", file), "utf8");
  expect(read("docs/how-to/submitting.md")).toContain(
    appDigest(JSON.parse(read("samples/plain.json")), USUAL_WORKFLOW),
  );
});
