// What survives: a restart keeps documents, indexes and order; kill -9 under load loses nothing that was acknowledged.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Container, CosmosClient } from "@azure/cosmos";
import { afterEach, expect, test } from "vitest";
import { ORDERS, temporaryServer } from "./temporary-server.ts";

const CLIENTS = 16;
const LOAD_MS = 700;
const PROGRAM = fileURLToPath(new URL("server-process.ts", import.meta.url));

let child: ChildProcess | undefined;
afterEach(() => child?.kill("SIGKILL"));

test("a restart keeps everything, and no version is ever named like an older one", async () => {
  const first = await temporaryServer();
  await first.orders.items.create({ id: "other", orderId: "kept", dueAt: "2026" });
  const { etag } = await first.orders.items.create({ id: "state", orderId: "kept", dueAt: "2025" });
  // The newest version is gone from the disk, and its name must not be given again.
  await first.orders.item("state", "kept").delete();
  await first.server.close();

  const wider = {
    ...ORDERS,
    indexingPolicy: { includedPaths: [{ path: "/dueAt/?" }, { path: "/orderId/?" }], excludedPaths: [{ path: "/*" }] },
  };
  const second = await temporaryServer({ data: first.data, resources: { database: "test", containers: [wider] } });
  const due = second.orders.items.query("SELECT VALUE c.id FROM c WHERE c.dueAt < '2030' ORDER BY c.dueAt");
  expect((await due.fetchAll()).resources).toEqual(["other"]);
  const named = second.orders.items.query("SELECT VALUE c.id FROM c ORDER BY c.orderId");
  expect((await named.fetchAll()).resources).toEqual(["other"]);
  const again = await second.orders.items.create({ id: "state", orderId: "kept", dueAt: "2025" });
  expect(again.etag > etag).toBe(true);
  first.client.dispose();
  await second.stop();
});

test("kill -9 under load loses nothing acknowledged, and leaves no batch in halves", async () => {
  const data = await mkdtemp(join(tmpdir(), "cosmos-kill-"));
  child = spawn(process.execPath, [PROGRAM, data], { stdio: ["ignore", "pipe", "inherit"] });
  const [connectionString] = await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), "line");
  const client = new CosmosClient({
    connectionString: String(connectionString),
    connectionPolicy: { requestTimeout: 1000 },
  });
  const acknowledged = new Map<string, number>();
  const load = Array.from({ length: CLIENTS }, (_, number) =>
    order(client.database("test").container("orders"), number, acknowledged),
  );
  await sleep(LOAD_MS);
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
  await Promise.all(load);
  client.dispose();
  expect(acknowledged.size).toBeGreaterThan(CLIENTS);

  const after = await temporaryServer({ data });
  const { resources } = await after.orders.items
    .query("SELECT c.id, c.orderId, c.n FROM c", { maxItemCount: 1000 })
    .fetchAll();
  const states = new Map<string, number>(
    resources.filter(({ id }) => id === "state").map(({ orderId, n }) => [orderId, n]),
  );
  const lost = [...acknowledged].filter(([orderId, n]) => (states.get(orderId) ?? -1) < n);
  expect(lost).toEqual([]);
  expect(
    resources
      .filter(({ id }) => id === "order")
      .map(({ orderId }) => orderId)
      .sort(),
  ).toEqual([...states.keys()].sort());
  await after.stop();
  await rm(data, { recursive: true, force: true });
});

/** Creates orders and patches them until the server is gone, and notes how far each was acknowledged. */
async function order(orders: Container, client: number, acknowledged: Map<string, number>): Promise<void> {
  for (let number = 0; ; number += 1) {
    const orderId = `${client}-${number}`;
    try {
      await orders.items.batch(
        [
          { operationType: "Create", resourceBody: { id: "order", orderId } },
          { operationType: "Create", resourceBody: { id: "state", orderId, n: 0, dueAt: "2025" } },
        ],
        orderId,
      );
      acknowledged.set(orderId, 0);
      await orders
        .item("state", orderId)
        .patch({ condition: "FROM c WHERE c.n = 0", operations: [{ op: "incr", path: "/n", value: 1 }] });
      acknowledged.set(orderId, 1);
    } catch {
      return;
    }
  }
}
