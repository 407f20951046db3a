// What a service may make us read and keep, over HTTP: a bounded part of its answer, and no more.

import { setTimeout as sleep } from "node:timers/promises";
import { type Agent, type BoundedReply, bounded, routeAgent } from "@scheduler-agent-supervisor/core/agents";
import { afterEach, expect, test } from "vitest";
import { bounds as boundsOf } from "../../packages/core/tests/bounds.ts";
import { type HttpServer, startHttpServer } from "../../packages/core/tests/http-server.ts";
import { sampleOrder } from "../../tests/support/orders.ts";
import { inventoryAgent } from "./inventory.ts";
import { paymentAgent } from "./payment.ts";

const MB = 1_048_576;
const JSON_TYPE = { "content-type": "application/json" };

let service: HttpServer | undefined;
afterEach(() => service?.[Symbol.asyncDispose]());

const REQUEST = {
  job: sampleOrder("order-1"),
  results: {},
  idempotencyKey: "order-1:reserve:forward",
  compensates: null,
};

async function reserve(agent: Agent<never> = inventoryAgent, operation = "reserve"): Promise<BoundedReply> {
  const routed = routeAgent(agent, [{ url: service?.url ?? "", capacity: 4 }], { now: Date.now });
  const completeBy = new Date(Date.now() + 1500).toISOString();
  return routed.call(operation, REQUEST, boundsOf(completeBy));
}

test.each([
  [200, { kind: "expired", lastError: { message: "HTTP 200: an answer over 1048576 bytes", misconfigured: true } }],
  [422, { kind: "rejected", message: "an answer over 1048576 bytes" }],
  [500, { kind: "expired", lastError: { message: "HTTP 500: an answer over 1048576 bytes" } }],
])("an answer of 400 MB under HTTP %i is cut off while it comes", async (status, expected) => {
  let sent = 0;
  let calls = 0;
  let closed = 0;
  service = await startHttpServer((_, response) => {
    calls += 1;
    response.on("close", () => (closed += 1)).writeHead(status, { ...JSON_TYPE, "content-length": 400 * MB });
    const chunk = Buffer.alloc(MB / 4, "x");
    const more = () => {
      do sent += chunk.length;
      while (response.write(chunk) && !response.destroyed);
    };
    response.on("drain", more).write('{"message":"');
    more();
  });
  const before = process.memoryUsage.rss();
  const reply = await reserve({ ...inventoryAgent, policies: { reserve: { tries: 1 } } });
  expect(reply).toMatchObject(expected);
  expect(calls).toBe(1);
  await expect.poll(() => closed).toBe(1);
  // What the sockets hold of it.
  expect(sent).toBeLessThan(16 * MB);
  expect(process.memoryUsage.rss() - before).toBeLessThan(100 * MB);
});

test("a rejection of 300 KB is still one, and so is its record", async () => {
  const message = "no ".repeat(100_000);
  service = await startHttpServer((_, response) =>
    response.writeHead(422, JSON_TYPE).end(JSON.stringify({ code: "rejected", message })),
  );
  const reply = await reserve();
  expect(reply).toMatchObject({ kind: "rejected" });
  expect(JSON.stringify(reply).length).toBeLessThan(1500);
});

test.each([422, 500])("of a message under HTTP %i at most 1,000 characters are taken", async (status) => {
  service = await startHttpServer((_, response) =>
    response.writeHead(status, JSON_TYPE).end(JSON.stringify({ message: "é".repeat(20_000) })),
  );
  const reply = await reserve({ ...inventoryAgent, policies: { reserve: { tries: 1 } } });
  const message = reply.kind === "rejected" ? reply.message : reply.kind === "expired" && reply.lastError?.message;
  expect(message).toHaveLength(1000);
});

test("so is an agent's own message, and an error's text", async () => {
  service = await startHttpServer((_, response) => response.end());
  const rejects = async () => ({ kind: "rejected", message: "x".repeat(5000) }) as const;
  expect(await reserve({ name: "inventory", operations: { reserve: rejects } })).toMatchObject({
    kind: "rejected",
    message: "x".repeat(1000),
  });
});

test("a cut goes through no character", () => {
  expect(bounded(`${"x".repeat(999)}😀`)).toBe(`${"x".repeat(999)}\ufffd`);
});

test("an id of at most 200 characters is kept; a longer one is none", async () => {
  let id = "r".repeat(200);
  service = await startHttpServer((_, response) => response.writeHead(201, JSON_TYPE).end(JSON.stringify({ id })));
  expect(await reserve()).toMatchObject({ kind: "done", result: { reservationId: id } });
  id = "r".repeat(201);
  expect(await reserve({ ...inventoryAgent, policies: { reserve: { tries: 1 } } })).toMatchObject({
    kind: "expired",
    lastError: { misconfigured: true },
  });
});

test.each([".", ".."])("%j is no id: in a path it would name another resource", async (id) => {
  const paths: (string | undefined)[] = [];
  service = await startHttpServer((request, response) => {
    paths.push(request.url);
    response.writeHead(201, JSON_TYPE).end(JSON.stringify({ id, status: "ok" }));
  });
  const policies = { reserve: { tries: 1 } };
  expect(await reserve({ ...inventoryAgent, policies })).toMatchObject({
    kind: "expired",
    lastError: { misconfigured: true },
  });
  // One that another agent recorded: nothing is captured, and the compensation goes by the step's key.
  const agent = routeAgent(paymentAgent, [{ url: service.url, capacity: 4 }], { now: Date.now });
  const bounds = boundsOf(new Date(Date.now() + 1500).toISOString());
  const recorded = { ...REQUEST, results: { takePayment: { chargeId: id } } };
  expect(await agent.call("capture", recorded, bounds)).toMatchObject({ kind: "rejected" });
  const compensates = { result: { chargeId: id }, idempotencyKey: "order-1:takePayment:forward" };
  expect(await agent.call("void", { ...REQUEST, compensates }, bounds)).toMatchObject({ kind: "done" });
  expect(paths).toEqual(["/reservations", "/charges/key%3Aorder-1%3AtakePayment%3Aforward/void"]);
});

test("a status of more than 200 characters is not kept", async () => {
  service = await startHttpServer((_, response) =>
    response.writeHead(200, JSON_TYPE).end(JSON.stringify({ status: "s".repeat(201) })),
  );
  const results = { takePayment: { chargeId: "ch-1" } };
  const agent = routeAgent(paymentAgent, [{ url: service.url, capacity: 4 }], { now: Date.now });
  const completeBy = new Date(Date.now() + 1500).toISOString();
  const reply = await agent.call("capture", { ...REQUEST, results }, boundsOf(completeBy));
  expect(reply).toMatchObject({ kind: "done", result: { status: null } });
});

test("a text in a result that no record takes is a fault of the endpoint", async () => {
  service = await startHttpServer((_, response) => response.end());
  const publishes = async () => ({ kind: "done", result: { note: "n".repeat(1001) } }) as const;
  const reply = await reserve({
    name: "inventory",
    operations: { reserve: publishes },
    policies: { reserve: { tries: 1 } },
  });
  const message = "note in the answer is over 1000 characters";
  expect(reply).toMatchObject({ kind: "expired", outcomeUnknown: true, lastError: { message, misconfigured: true } });
});

test.each([
  ["idempotencyKey", "order-1:reserve:forward\r\nx-admin: 1"],
  ["idempotencyKey", "order-1\n\nPOST /refunds HTTP/1.1"],
  ["traceparent", "00-1\r\nx-admin: 1"],
])("a line break in %s adds no header: nothing is sent", async (name, value) => {
  let calls = 0;
  service = await startHttpServer((_, response) => {
    calls += 1;
    response.writeHead(201, JSON_TYPE).end('{"id":"r-1"}');
  });
  const call = { ...REQUEST, endpoint: service.url, completeBy: "", signal: AbortSignal.timeout(1000), [name]: value };
  expect(await inventoryAgent.operations.reserve(call as never)).toMatchObject({ kind: "unavailable" });
  expect(calls).toBe(0);
});

test("an answer that drips is ended with its try", async () => {
  service = await startHttpServer(async (_, response) => {
    response.writeHead(200, JSON_TYPE);
    for (; !response.destroyed; await sleep(20)) response.write(" ");
  });
  const policies = { reserve: { tries: 1, tryTimeoutMs: 200 } };
  expect(await reserve({ ...inventoryAgent, policies })).toMatchObject({
    kind: "expired",
    tries: 1,
    outcomeUnknown: true,
    lastError: { message: "no answer within 200 ms" },
  });
});
