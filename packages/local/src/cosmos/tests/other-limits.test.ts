// The limits of Azure Cosmos DB of which more or less passes here: what the table says that this server does instead.
import { afterAll, beforeAll, expect, test } from "vitest";
import { COSMOS_NOT_KEPT as NOT_KEPT, COSMOS_STRICTER as STRICTER } from "../limits.ts";
import type { Container } from "../resources/container.ts";
import { Throughput } from "../resources/throughput.ts";
import { codeOf, type TemporaryServer, temporaryServer } from "./temporary-server.ts";

const GIGABYTE = 1000;
let at: TemporaryServer;
beforeAll(async () => {
  at = await temporaryServer({ gigabyte: GIGABYTE });
});
afterAll(() => at.stop());

test(NOT_KEPT.largeKeys.what, async () => {
  const partitionKey = { paths: ["/pk"], version: 1 };
  const { container } = await at.client.database("test").containers.create({ id: "first-version", partitionKey });
  const keys = ["a", "b"].map((end) => "x".repeat(101) + end);
  for (const pk of keys) await container.items.create({ id: "same", pk });
  const read = await Promise.all(keys.map((pk) => container.item("same", pk).read<{ pk: string }>()));
  expect(read.map(({ resource }) => resource?.pk)).toEqual(keys);
});

test(NOT_KEPT.physicalPartition.what, () => {
  const throughput = new Throughput(30_000, () => 0);
  const container = { rid: "three partitions" } as Container;
  throughput.spend(container, 29_999);
  expect(throughput.refusal(container)).toBeUndefined();
  throughput.spend(container, 1);
  expect(throughput.refusal(container)?.status).toBe(429);
});

test(NOT_KEPT.serverless.what, async () => {
  const perKey = 10 * GIGABYTE;
  for (let bytes = 0; bytes <= 1024 * GIGABYTE; bytes += perKey)
    await at.plain.items.create({ id: "one", pk: `${bytes}`, text: "x".repeat(perKey) });
});

test(STRICTER.scripts.what, async () => {
  const { storedProcedures, triggers, userDefinedFunctions } = at.plain.scripts;
  const body = "function () {}";
  expect(await codeOf(storedProcedures.create({ id: "one", body }))).toBe(400);
  expect(await codeOf(userDefinedFunctions.create({ id: "one", body }))).toBe(400);
  const trigger = { id: "one", body, triggerType: "Pre", triggerOperation: "All" };
  expect(await codeOf(triggers.create(trigger as never))).toBe(400);
});

const queried = (sql: string) => codeOf(at.plain.items.query(sql).fetchAll());

test(STRICTER.functions.what, async () => expect(await queried("SELECT VALUE udf.one(c.id) FROM c")).toBe(400));

test(STRICTER.polygon.what, async () => {
  const polygon = '{"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}';
  expect(await queried(`SELECT * FROM c WHERE ST_WITHIN(c.place, ${polygon})`)).toBe(400);
});
