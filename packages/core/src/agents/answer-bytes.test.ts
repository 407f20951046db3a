// A service's answer in any bytes (P9), over HTTP: which id is kept of it, what a compensation names, and what its fault says.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AgentCall } from "./agent.ts";
import { callService, keepId, whatToCompensate } from "./http-service.ts";

let server: Server;
let answer: { readonly body: Buffer; readonly headers?: Record<string, string>; readonly status?: number };
beforeAll(async () => {
  server = createServer((_, response) => {
    response
      .writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers })
      .end(answer.body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => server.close());

async function ask(given: typeof answer) {
  answer = given;
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const call = { endpoint, idempotencyKey: "key-1", signal: AbortSignal.timeout(5000) } as unknown as AgentCall;
  return callService({ path: "charges", body: {}, keep: keepId("chargeId"), answers: [] }, call);
}

const json = (id: string) => `{"id":${id}}`;

test.each<[string, typeof answer, string]>([
  ["a text", { body: Buffer.from(json('"ch_ä"')) }, "ch_ä"],
  ["a BOM", { body: Buffer.from(`\uFEFF${json('"ch_1"')}`) }, "ch_1"],
  ["UTF-16 by its mark", { body: Buffer.from(`\uFEFF${json('"ch_ä"')}`, "utf16le") }, "ch_ä"],
  [
    "ISO-8859-1 by its charset",
    {
      body: Buffer.from(json('"ch_ä"'), "latin1"),
      headers: { "content-type": "application/json; charset=iso-8859-1" },
    },
    "ch_ä",
  ],
  ["a whole number", { body: Buffer.from(json("1002")) }, "1002"],
  ["the largest number that a double holds", { body: Buffer.from(json("9007199254740991")) }, "9007199254740991"],
  ["a number beyond 2^53", { body: Buffer.from(json("9007199254740993")) }, "9007199254740993"],
  ["twenty digits", { body: Buffer.from(json("12345678901234567890")) }, "12345678901234567890"],
  ["1e21", { body: Buffer.from(json("1e21")) }, "1e21"],
  ["a large number beside it", { body: Buffer.from('{"id":"ch_1","ns":1732000000000000001}') }, "ch_1"],
])("the id of %s is kept, and its compensation names the same", async (_, given, chargeId) => {
  expect(await ask(given)).toEqual({ kind: "done", result: { chargeId } });
  const call = { idempotencyKey: "key-2", compensates: { result: { chargeId }, idempotencyKey: "key-1" } };
  expect(whatToCompensate(call as unknown as AgentCall, "chargeId")).toBe(encodeURIComponent(chargeId));
});

test.each<[string, typeof answer, RegExp]>([
  ["an id that is there twice", { body: Buffer.from('{"id":"ch_1","id":"ch_2"}') }, /an answer that has id twice/],
  ["gzip that nobody declares", { body: gzipSync(json('"ch_1"')) }, /compressed with gzip/],
  ["a coding that nobody knows", { body: Buffer.from("x"), headers: { "content-encoding": "lzma" } }, /with lzma/],
  ["br that is none", { body: Buffer.from("x"), headers: { "content-encoding": "br" } }, /is not valid br/],
  ["ISO-8859-1 that nobody declares", { body: Buffer.from(json('"ch_ä"'), "latin1") }, /not valid UTF-8/],
  ["a fraction as its id", { body: Buffer.from(json("1.5")) }, /without the expected answer/],
  ["true as its id", { body: Buffer.from(json("true")) }, /without the expected answer/],
  ["null as its id", { body: Buffer.from(json("null")) }, /without the expected answer/],
  ["nothing", { body: Buffer.alloc(0) }, /without the expected answer/],
  ["1.1 MB", { body: Buffer.from(json(`"${"x".repeat(1_100_000)}"`)) }, /over 1048576 bytes/],
  [
    "1.1 MB in 1 KB",
    { body: gzipSync(json(`"${"x".repeat(1_100_000)}"`)), headers: { "content-encoding": "gzip" } },
    /over 1048576 bytes/,
  ],
])("P9 an answer with %s is no result, its outcome is unknown, and the fault is named", async (_, given, message) => {
  const reply = await ask(given);
  expect(reply).toMatchObject({ kind: "unavailable", misconfigured: true, mayHaveHappened: true });
  expect(reply).toHaveProperty("message", expect.stringMatching(message));
});

test.each<[string, unknown]>([
  ["a number that has lost digits", 1e21],
  ["an id from which a secret was removed", "ch-(hidden)-1"],
])("%s names nothing: the key does", (_, chargeId) => {
  const call = { idempotencyKey: "key-2", compensates: { result: { chargeId }, idempotencyKey: "key-1" } };
  expect(whatToCompensate(call as unknown as AgentCall, "chargeId")).toBe("key%3Akey-1");
});
