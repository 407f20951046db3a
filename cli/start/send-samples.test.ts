// The sample orders, as npm start sends them.

import { expect, test } from "vitest";
import { readSamples } from "../common/samples.ts";
import { sendSamples } from "./send-samples.ts";

test("what befalls a sample begins right before it is sent, and not while others before it are awaited", async () => {
  const samples = readSamples("run").slice(0, 3);
  const [first, second, third] = samples.map(({ orderId }) => orderId);
  const seen: string[] = [];
  const shop = {
    async send(body: unknown) {
      seen.push(`sent ${(body as { orderId: string }).orderId}`);
      return "";
    },
  };
  await sendSamples(samples, shop, { of: async () => [] }, async ({ orderId }) => {
    seen.push(`faults ${orderId}`);
  });
  expect(seen).toEqual([first, second, third].flatMap((id) => [`faults ${id}`, `sent ${id}`]));
});
