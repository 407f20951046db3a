// A query that reads for longer than a request may ends its page, on a server where that is at once.
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Database } from "../../database/database.ts";
import { COSMOS_LIMITS as LIMITS, COSMOS_NOT_KEPT as NOT_KEPT } from "../limits.ts";
import { Catalog } from "../resources/catalog.ts";
import type { CosmosOptions } from "../start.ts";
import { PLAIN, type TemporaryServer, temporaryServer } from "./temporary-server.ts";

const HELD = 20_000;
let short: TemporaryServer;
let usual: TemporaryServer;
beforeAll(async () => {
  short = await filledServer({ executionMs: 0 });
  usual = await filledServer({});
});
afterAll(async () => {
  await short.stop();
  await usual.stop();
});

/** With many documents of one key, and as many keys. */
async function filledServer(options: Partial<CosmosOptions>): Promise<TemporaryServer> {
  const data = await mkdtemp(join(tmpdir(), "cosmos-"));
  const database = new Database(join(data, "cosmos.db"));
  const catalog = new Catalog(database);
  const indexingPolicy = { includedPaths: [{ path: "/at/?" }, { path: "/*" }], excludedPaths: [] };
  const parent = await catalog.createDatabase("test");
  const container = parent && (await catalog.createContainer(parent, { ...PLAIN, indexingPolicy } as never));
  await database.write(() => {
    for (let n = 0; n < HELD; n += 1) {
      const [id, pk] = [`${n}`, n % 2 === 0 ? "many" : `${n}`];
      container?.items.insert(JSON.stringify([pk]), id, { id, pk, at: n % 100 }, 0);
    }
  });
  database.close();
  return temporaryServer({ data, ...options });
}

/** What each page has, of a client that asks for all at once. */
async function pagesOf({ plain }: TemporaryServer, sql: string, partitionKey?: string): Promise<unknown[][]> {
  const pages: unknown[][] = [];
  const options = { maxItemCount: HELD, ...(partitionKey !== undefined && { partitionKey }) };
  for await (const { resources } of plain.items.query(sql, options).getAsyncIterator()) pages.push(resources);
  return pages;
}

test.each([
  [LIMITS.executionMs.what, "SELECT VALUE c.id FROM c WHERE ENDSWITH(c.id, '7')"],
  ["it is so where a filter leaves out everything", "SELECT VALUE c.id FROM c WHERE c.id = 'none'"],
  ["it is so along an order", "SELECT VALUE c.id FROM c WHERE c.id != '' ORDER BY c.at DESC"],
  ["it is so within one large key", "SELECT VALUE c.id FROM c WHERE c.at = 3", "many"],
])("%s", async (_, sql, partitionKey?: string) => {
  const [pages, whole] = [await pagesOf(short, sql, partitionKey), await pagesOf(usual, sql, partitionKey)];
  expect(whole).toHaveLength(1);
  expect(pages.length).toBeGreaterThan(1);
  expect(pages.flat()).toEqual(whole[0]);
});

test(NOT_KEPT.wholeExecution.what, async () => {
  expect(await pagesOf(short, "SELECT VALUE COUNT(1) FROM c WHERE c.id != ''")).toEqual([[HELD]]);
  const sorted = await pagesOf(short, "SELECT VALUE c.id FROM c ORDER BY c.id");
  expect(sorted.map(({ length }) => length)).toEqual([HELD]);
});
