// What the .NET and Python clients send and the JavaScript SDK does not: the requests are as these clients were seen to
// send them (README.md says how that was seen).
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sendSigned } from "./signed-request.ts";
import { type TemporaryServer, temporaryServer } from "./temporary-server.ts";

let at: TemporaryServer;
beforeAll(async () => {
  at = await temporaryServer();
});
afterAll(() => at.stop());

const bytesOf = (rid: unknown) => Buffer.from(String(rid).replaceAll("-", "/"), "base64");

describe("resource ids", () => {
  test("of a container and a document begin with those of what holds them, and say what kind they are", async () => {
    const database = bytesOf((await at.client.database("test").read()).resource?._rid);
    const container = bytesOf((await at.plain.read()).resource?._rid);
    const document = bytesOf((await at.plain.items.create({ id: "rid", pk: "p" })).resource?._rid);
    expect([database, container, document].map(({ length }) => length)).toEqual([4, 8, 16]);
    expect(container.subarray(0, 4)).toEqual(database);
    expect(document.subarray(0, 8)).toEqual(container);
    expect((container[4] ?? 0) & 0x80).toBe(0x80);
    expect((document[15] ?? 0xff) >> 4).toBe(0);
  });

  test("can stand in a path for names, signed by the last of them in lower case", async () => {
    const { resource: container } = await at.plain.read();
    const { resource: document } = await at.plain.items.upsert({ id: "by rid", pk: "p", n: 7 });
    const self = String(document?._self).replace(/\/$/, "");
    expect(self).toBe(`${String(container?._self)}docs/${document?._rid}`);
    const headers = { "x-ms-documentdb-partitionkey": '["p"]' };
    const signedAs = String(document?._rid).toLowerCase();
    const found = await sendSigned(at.server, "GET", self, headers, undefined, signedAs);
    expect(await found.json()).toMatchObject({ id: "by rid", n: 7 });
    const ranges = `${String(container?._self)}pkranges`;
    const listed = await sendSigned(at.server, "GET", ranges, {}, undefined, String(container?._rid).toLowerCase());
    expect(await listed.json()).toMatchObject({ PartitionKeyRanges: [{ id: "0" }] });
    expect((await sendSigned(at.server, "GET", ranges, {}, undefined, "something else")).status).toBe(401);
  });
});

test("the account says what the query engine takes", async () => {
  const { queryEngineConfiguration } = (await (await sendSigned(at.server, "GET", "", {}, undefined, "")).json()) as {
    queryEngineConfiguration: string;
  };
  expect(JSON.parse(queryEngineConfiguration)).toMatchObject({ sqlAllowSubQuery: true });
});

test.each(["Incremental feed", "Incremental Feed", "incremental feed"])(
  "the key ranges are a feed: %s",
  async (aim) => {
    const path = "dbs/test/colls/plain/pkranges";
    const first = await sendSigned(at.server, "GET", path, { "a-im": aim });
    expect(await first.json()).toMatchObject({ PartitionKeyRanges: [{ minInclusive: "", maxExclusive: "FF" }] });
    const etag = String(first.headers.get("etag"));
    const next = await sendSigned(at.server, "GET", path, { "a-im": aim, "if-none-match": etag });
    expect([next.status, next.headers.get("etag")]).toEqual([304, etag]);
  },
);

test("a write is answered without its document where the client prefers that", async () => {
  const path = "dbs/test/colls/plain/docs";
  const headers = { prefer: "return=minimal", "x-ms-documentdb-partitionkey": '["p"]' };
  const answer = await sendSigned(at.server, "POST", path, headers, '{"id":"minimal","pk":"p"}');
  expect([answer.status, await answer.text()]).toEqual([201, ""]);
  expect(answer.headers.get("etag")).toMatch(/^".+"$/);
});

test("documents are found by a range of effective partition keys", async () => {
  for (const pk of ["redmond", "aa", "", 5]) await at.plain.items.create({ id: `hash-${pk}`, pk });
  const query = async (min: string, max: string) => {
    const headers = {
      "x-ms-documentdb-isquery": "True",
      "content-type": "application/query+json",
      "x-ms-start-epk": min,
      "x-ms-end-epk": max,
      "x-ms-read-key-type": "EffectivePartitionKeyRange",
    };
    const body = JSON.stringify({ query: "SELECT VALUE c.id FROM c WHERE STARTSWITH(c.id, 'hash-') ORDER BY c.id" });
    const answer = await sendSigned(at.server, "POST", "dbs/test/colls/plain/docs", headers, body);
    return ((await answer.json()) as { Documents: string[] }).Documents;
  };
  // This container has no version of its key: version 1.
  expect(await query("", "FF")).toEqual(["hash-", "hash-5", "hash-aa", "hash-redmond"]);
  expect(await query("05C1EFE313830C087366656E706F6500", "FF")).toEqual(["hash-redmond"]);
  expect(await query("05C1C7B7270FE008626200", "05C1C7B7270FE008626201")).toEqual(["hash-aa"]);
  expect(await query("", "05C1D9C1C5517C05C014")).toEqual(["hash-", "hash-aa"]);
});

describe("a batch in binary", () => {
  /** Create, upsert, read, patch, replace and delete, byte by byte as Microsoft.Azure.Cosmos 3.64 wrote them. */
  const SIX = `81f0d8ff7f010a00000081f1d8ff7f2c000000774eb186817054e17f4300000000020000001d7b226964223a2231222c22706b223a22626174
    6368222c226e223a317d81f1d8ff7f260000008303b4be817054e17f431400000002000000177b226964223a2232222c22706b223a226261746368227d81
    f1d8ff7f10000000d473e835817054e17f130200000002000000013181f1d8ff7f45000000921c3eb3817054e17f5301000000020000000131347b226f70
    65726174696f6e73223a5b7b226f70223a22696e6372222c2270617468223a222f6e222c2276616c7565223a317d5d7d81f1d8ff7f31000000d3433b7d81
    7054e17f5305000000020000000132207b226964223a2232222c22706b223a226261746368222c2272223a747275657d81f1d8ff7f100000002952ffa181
    7054e17f1304000000020000000132`;
  const headers = {
    "x-ms-documentdb-partitionkey": '["batch"]',
    "x-ms-cosmos-batch-atomic": "True",
    "x-ms-cosmos-batch-ordered": "True",
    "x-ms-cosmos-is-batch-request": "True",
  };
  const send = async (bytes: Buffer) => {
    const answer = await sendSigned(at.server, "POST", "dbs/test/colls/plain/docs", headers, bytes);
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
  };
  const SENT = Buffer.from(SIX.replaceAll(/\s/g, ""), "hex");
  /** The codes of the results: each record is a header of 13 bytes, then a row whose code stands behind 6 bytes. */
  const codesOf = (bytes: Buffer) => {
    const codes: number[] = [];
    for (let from = 10; from < bytes.length; from += 13 + bytes.readInt32LE(from + 5)) {
      codes.push(bytes.readInt32LE(from + 13 + 6));
    }
    return codes;
  };

  test("is done, and answered in binary", async () => {
    const first = await send(SENT);
    expect([first.status, first.bytes[0], codesOf(first.bytes)]).toEqual([200, 0x81, [201, 201, 200, 200, 200, 204]]);
    expect((await at.plain.item("1", "batch").read()).resource).toMatchObject({ n: 2 });
    expect((await at.plain.item("2", "batch").read()).statusCode).toBe(404);
  });

  test("that fails says which operation it was", async () => {
    const again = await send(SENT);
    expect([again.status, codesOf(again.bytes)]).toEqual([207, [409, 424, 424, 424, 424, 424]]);
  });

  test("that is cut or wrong anywhere is a 4xx, or 207, and never a failure of the server", async () => {
    for (let end = 1; end < SENT.length; end += 1) {
      const { status } = await send(SENT.subarray(0, end));
      expect([200, 207, 400], `cut at ${end}`).toContain(status);
    }
    for (let index = 1; index < SENT.length; index += 1) {
      const mutated = Buffer.from(SENT);
      mutated[index] = (mutated[index] ?? 0) ^ 0x91;
      const { status } = await send(mutated);
      expect([200, 207, 400], `byte ${index}`).toContain(status);
    }
  });
});
