// Full text search through the SDK: over one partition and several, where the client gathers statistics and merges by score.
import type { Container, FeedOptions } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeOf, type TemporaryServer, temporaryServer } from "./temporary-server.ts";

const TEXTS = [
  { id: "1", title: "Swimming lessons", text: "I like to swim, swim and swim" },
  { id: "2", title: "A lake", text: "A lake to swim in, with many other things to do beside" },
  { id: "3", title: "A road", text: "I like to run" },
  { id: "4", title: "Swim", text: "Nothing here" },
];

let at: TemporaryServer;
beforeAll(async () => {
  at = await temporaryServer();
});
afterAll(() => at.stop());

describe.each([
  ["one partition", 400],
  ["several partitions", 22_000],
])("over %s", (name, throughput) => {
  let container: Container;
  beforeAll(async () => {
    const definition = {
      id: name,
      partitionKey: "/id",
      throughput,
      fullTextPolicy: { defaultLanguage: "en-US", fullTextPaths: [{ path: "/text", language: "en-US" }] },
      indexingPolicy: { fullTextIndexes: [{ path: "/text" }] },
    };
    ({ container } = await at.client.database("test").containers.create(definition));
    for (const item of TEXTS) await container.items.create(item);
  });
  const ids = async (sql: string, options: FeedOptions = {}) =>
    ((await container.items.query(sql, options).fetchAll()).resources as { id: string }[]).map(({ id }) => id);

  test("documents come in the order of their scores", async () => {
    const ranked = "ORDER BY RANK FullTextScore(c.text, ['swim'])";
    expect(await ids(`SELECT TOP 2 * FROM c ${ranked}`)).toEqual(["1", "2"]);
    expect(await ids(`SELECT c.id FROM c ${ranked} OFFSET 1 LIMIT 1`)).toEqual(["2"]);
    const filtered = `SELECT TOP 9 c.id FROM c WHERE FullTextContainsAny(c.text, 'swim', 'run') ${ranked}`;
    expect(await ids(filtered, { forceQueryPlan: true })).toEqual(["1", "2", "3"]);
  });

  test("and of their ranks in several scores", async () => {
    const scores = "FullTextScore(c.text, ['swim']), FullTextScore(c.title, ['swim'])";
    const both = await ids(`SELECT TOP 4 c.id FROM c ORDER BY RANK RRF(${scores})`);
    expect(both.slice(0, 2).sort()).toEqual(["1", "4"]);
    expect((await ids(`SELECT TOP 4 c.id FROM c ORDER BY RANK RRF(${scores}, [1, 9])`))[0]).toBe("4");
  });
});

test("a policy without paths, and a score that is none, are refused", async () => {
  const definition = { id: "strange", partitionKey: "/id", fullTextPolicy: { fullTextPaths: [{ path: "text" }] } };
  expect(await codeOf(at.client.database("test").containers.create(definition as never))).toBe(400);
  const query = at.plain.items.query("SELECT TOP 1 * FROM c ORDER BY RANK c.text").fetchAll();
  await expect(query).rejects.toMatchObject({ code: 400, message: expect.stringContaining("FullTextScore") });
});
