// A wedding list on the test kit: each line of the order is an order of its own, of the workflow that the shop has for orders.

import { defineChildJob } from "@scheduler-agent-supervisor/core/agents";
import { defineApp } from "@scheduler-agent-supervisor/core/app";
import { type Workflow, workflowsOf } from "@scheduler-agent-supervisor/core/workflows";
import { createWorld } from "@scheduler-agent-supervisor/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { business as shop } from "../../shared/business.ts";
import { contracts, type Order } from "../../shared/contracts/order.ts";
import { orderFulfilment } from "../../shared/workflows/order-fulfilment.ts";
import { workflowRules } from "../../shared/workflows/rules.ts";
import { sampleOrder } from "../support/orders.ts";

const [, , newest] = orderFulfilment;

const giftAgent = defineChildJob({
  name: "gift",
  workflow: newest,
  sees: ({ workflow: _, ...order }: Order) => order,
  content: ({ childJobId, job, item }) => ({
    ...job,
    orderId: childJobId,
    lines: job.lines.filter(({ sku }) => sku === item?.sku),
  }),
  item: z.object({ sku: z.string() }),
  result: z.object({ shipmentId: z.string() }),
});

const wedding = workflowsOf(
  [giftAgent],
  workflowRules,
  contracts,
)({
  name: "wedding",
  version: 1,
  policy: { failureThreshold: 3, waits: [], onExhausted: "compensate", onRejected: "compensate" },
  steps: [
    {
      name: "sendGift",
      agent: "gift",
      operation: "run",
      forEach: "lines",
      after: [],
      completeWithin: "PT20S",
      awaitWithin: "P7D",
      compensation: { operation: "takeBack", completeWithin: "PT20S", awaitWithin: "P7D" },
    },
  ],
});

const business = defineApp({
  contracts,
  agents: [...shop.agents, giftAgent],
  workflows: [...shop.workflows, wedding] as readonly Workflow[],
  rules: workflowRules,
});

test("each gift is an order of its own", async () => {
  const world = createWorld({ business });
  await world.submit(sampleOrder("wedding-1", { workflow: "wedding" }));
  await world.run();

  expect(world.record("wedding-1").processState).toBe("Processed");
  expect(world.record("wedding-1-sendGift_2")).toMatchObject({
    processState: "Processed",
    workflow: { name: "order-fulfilment" },
    parent: { jobId: "wedding-1", step: "sendGift_2" },
  });
  expect(world.results("wedding-1")).toMatchObject({
    sendGift_1: { childJobId: "wedding-1-sendGift_1", shipmentId: "shipping-1" },
  });
});

test("one gift that is sold out: the others are taken back", async () => {
  const world = createWorld({ business });
  world
    .service("inventory")
    .answers("reserve", ({ body }) =>
      JSON.stringify(body).includes("MUG-3") ? { status: 409, body: { message: "sold out" } } : { body: { id: "r-1" } },
    );
  await world.submit(sampleOrder("wedding-1", { workflow: "wedding" }));
  await world.run();

  expect(world.record("wedding-1").processState).toBe("Compensated");
  expect(world.record("wedding-1-sendGift_1").processState).toBe("Compensated");
  expect(world.service("shipping").callsOf("cancel")).toHaveLength(1);
});
