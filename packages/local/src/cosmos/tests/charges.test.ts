// Charges follow what a query visits, and with enforced throughput what is beyond it waits, as in Azure.
import { CosmosClient } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TemporaryServer, temporaryServer } from "./temporary-server.ts";

let at: TemporaryServer;

/** `ended` documents of one state, beside ten of another. */
async function fill(ended: number, from = 0): Promise<void> {
  const states = [...Array<string>(ended).fill("Processed"), ...Array<string>(from === 0 ? 10 : 0).fill("Error")];
  for (let n = 0; n < states.length; n += 50) {
    await Promise.all(
      states.slice(n, n + 50).map((processState, index) => {
        const id = `${from + n + index}`;
        return at.orders.items.create({
          id,
          orderId: id,
          processState,
          createdAt: id.padStart(9, "0"),
          text: "x".repeat(500),
        });
      }),
    );
  }
}

const chargeOf = async (sql: string, maxItemCount = 10) =>
  (await at.orders.items.query(sql, { maxItemCount }).fetchNext()).requestCharge;

const GROWING = [
  ["a scan", "SELECT * FROM c WHERE c.text = 'none'"],
  ["a count along an index", "SELECT VALUE COUNT(1) FROM c WHERE c.processState = 'Processed'"],
  ["a count of all", "SELECT VALUE COUNT(1) FROM c"],
  ["groups", "SELECT c.processState, COUNT(1) AS n FROM c GROUP BY c.processState"],
  ["a sum over documents", "SELECT VALUE SUM(LENGTH(c.text)) FROM c"],
  ["a filter beside the index", "SELECT * FROM c WHERE c.processState = 'Processed' AND c.createdAt = 'none'"],
] as const;
const FLAT = [
  ["a range of an index", "SELECT * FROM c WHERE c.createdAt < '000000005'"],
  ["the first page of an order", "SELECT * FROM c ORDER BY c.createdAt"],
  ["one value of an index", "SELECT * FROM c WHERE c.processState = 'Error'"],
  ["a count of one value", "SELECT VALUE COUNT(1) FROM c WHERE c.processState = 'Error'"],
  ["a key", "SELECT * FROM c WHERE c.orderId = '3'"],
] as const;

describe("with four times as many documents", () => {
  const few = new Map<string, number>();
  const many = new Map<string, number>();
  beforeAll(async () => {
    at = await temporaryServer();
    await fill(500);
    for (const [, sql] of [...GROWING, ...FLAT]) few.set(sql, await chargeOf(sql));
    await fill(1500, 1000);
    for (const [, sql] of [...GROWING, ...FLAT]) many.set(sql, await chargeOf(sql));
  });
  afterAll(() => at.stop());

  test.each(GROWING)("%s costs more", (_, sql) => {
    expect((many.get(sql) ?? 0) - (few.get(sql) ?? 0)).toBeGreaterThan(1500 * 0.003);
  });

  test.each(FLAT)("%s costs the same", (_, sql) => expect(many.get(sql)).toBe(few.get(sql)));

  test("pages cost no more than the whole", async () => {
    const sql = "SELECT * FROM c WHERE c.processState >= 'E' AND c.createdAt < '000000020'";
    const whole = await chargeOf(sql, 100);
    const pages = at.orders.items.query(sql, { maxItemCount: 10 });
    let [sum, count] = [0, 0];
    for (; pages.hasMoreResults(); count += 1) sum += (await pages.fetchNext()).requestCharge;
    // Each page has the base of a query, and looks at the next result.
    expect(sum - (count - 1) * 3).toBeLessThanOrEqual(whole + 0.1);
  });
});

describe("with enforced throughput", () => {
  /** So little that a slow machine uses it up too. */
  const PER_SECOND = 100;
  let server: TemporaryServer;
  /** Takes a 429 for an answer: it does not ask again. */
  let client: CosmosClient;
  beforeAll(async () => {
    server = await temporaryServer({ throughput: PER_SECOND });
    client = new CosmosClient({
      connectionString: server.server.connectionString,
      connectionPolicy: {
        retryOptions: { maxRetryAttemptCount: 0, fixedRetryIntervalInMilliseconds: 0, maxWaitTimeInSeconds: 0 },
      },
    });
  });
  afterAll(async () => {
    client.dispose();
    await server.stop();
  });

  test("what is beyond it gets a 429 that says how long to wait, and is done after that", async () => {
    const container = client.database("test").container("plain");
    const started = performance.now();
    const answers = await Promise.allSettled(
      Array.from({ length: 200 }, (_, n) => container.items.create({ id: `${n}`, pk: "p" })),
    );
    const seconds = (performance.now() - started) / 1000;
    const refused = answers.flatMap((answer) =>
      answer.status === "rejected" ? [answer.reason as Record<string, unknown>] : [],
    );
    const charged = answers.reduce(
      (sum, answer) => sum + (answer.status === "fulfilled" ? answer.value.requestCharge : 0),
      0,
    );
    expect(charged).toBeLessThan(PER_SECOND * (1 + seconds) + 20);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]).toMatchObject({ code: 429, substatus: 3200 });
    const waitMs = Number(refused[0]?.["retryAfterInMs"]);
    expect(waitMs).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, waitMs + 50));
    expect((await container.items.upsert({ id: "0", pk: "p" })).statusCode).toBeLessThan(300);
  });

  test("a container that has used up its own holds no other one up", async () => {
    const { container } = await server.client.database("test").containers.create({ id: "own", partitionKey: "/pk" });
    const plain = client.database("test").container("plain");
    await Promise.allSettled(Array.from({ length: 100 }, (_, n) => plain.items.create({ id: `own ${n}`, pk: "p" })));
    const { throttled } = await server.counts();
    expect(throttled).toBeGreaterThan(0);
    await container.items.create({ id: "last", pk: "p" });
    expect((await server.counts())["throttled"]).toBe(throttled);
  });
});
