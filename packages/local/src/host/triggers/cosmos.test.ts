// What a Cosmos DB trigger may ask for, as the extension in Azure takes it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningCosmos, startCosmos } from "../../cosmos/start.ts";
import { CosmosClients } from "../change-feed/cosmos-clients.ts";
import type { Binding } from "../contract.ts";
import { HOST_REJECTIONS as REJECTIONS } from "../rejections.ts";
import { cosmosListener } from "./cosmos.ts";

const folder = mkdtempSync(join(tmpdir(), "cosmos-trigger-"));
const clients = new CosmosClients();
let cosmos: RunningCosmos;
beforeAll(async () => {
  const containers = [
    { id: "orders", partitionKey: { paths: ["/id"] } },
    { id: "leases", partitionKey: { paths: ["/id"] } },
    { id: "other", partitionKey: { paths: ["/owner"] } },
  ];
  cosmos = await startCosmos({ port: 0, data: folder, resources: { database: "shop", containers } });
});
afterAll(async () => {
  clients.close();
  await cosmos.close();
  rmSync(folder, { recursive: true });
});

/** What its listener logs, and how often the function was called. */
function listenWith(more: Readonly<Record<string, unknown>>) {
  const lines: string[] = [];
  const calls: unknown[] = [];
  const place = { connection: cosmos.connectionString, databaseName: "shop", containerName: "orders" };
  const trigger: Binding = { type: "cosmosDBTrigger", direction: "in", ...place, feedPollDelay: 20, ...more };
  const registered = { name: "changes", triggerName: "documents", trigger, bindings: { documents: trigger } };
  const app = {
    functions: new Map([["changes", registered]]),
    invoke: async (...call: unknown[]) => {
      calls.push(call);
      return { returnValue: undefined, outputs: {} };
    },
  };
  const listener = cosmosListener({ app, registered, log: ({ message }) => lines.push(message) }, clients);
  return { listener, lines, calls };
}

describe(REJECTIONS.ownLeases.what, () => {
  test.each([
    { leaseContainerName: "orders" },
    { leaseContainerName: "Orders", leaseDatabaseName: "SHOP" },
    { containerName: "leases" },
  ])("%j", (more) => {
    expect(() => listenWith(more)).toThrow("its leases cannot be in the container that it reads");
  });

  test("a container of that name in another database is another one", () => {
    expect(() => listenWith({ leaseContainerName: "orders", leaseDatabaseName: "else" })).not.toThrow();
  });
});

describe(REJECTIONS.feedStart.what, () => {
  test.each([
    [{ startFromBeginning: true, startFromTime: "2026-01-01T00:00:00Z" }, "of which it can have one"],
    [{ startFromTime: "yesterday" }, "is no time"],
  ])("%j", (more, words) => {
    expect(() => listenWith(more)).toThrow(words);
  });

  test.each([{ startFromBeginning: true }, { startFromBeginning: false, startFromTime: "2026-01-01T00:00:00Z" }, {}])(
    "one or none is taken: %j",
    (more) => {
      expect(() => listenWith(more)).not.toThrow();
    },
  );
});

test(REJECTIONS.leaseKey.what, async () => {
  const orders = await clients.container(cosmos.connectionString, "shop", "orders");
  await orders.items.create({ id: "1" });
  const wrong = listenWith({ leaseContainerName: "other", startFromBeginning: true });
  const right = listenWith({ startFromBeginning: true });
  for (const { listener } of [wrong, right]) listener.start();
  await expect.poll(() => right.calls.length).toBe(1);
  await expect.poll(() => wrong.lines.join()).toContain('partitioned by /id, and "other" is by /owner');
  for (const { listener } of [wrong, right]) await listener.stop().then(() => listener.ended());
  expect([wrong.calls, right.lines]).toEqual([[], []]);
});
