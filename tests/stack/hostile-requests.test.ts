// What a sender, a service, a web page and a caller may try, over the real protocols: each attack fails, and says why.

import { request as openRequest } from "node:http";
import { createBusSenders, createServiceBusMessenger } from "@scheduler-agent-supervisor/core/create-app";
import { hasEnded, type Reply, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { REPLY_QUEUE } from "../../cli/every-app/reply-queues.ts";
import { WITH_KEY } from "../support/host-key.ts";
import { madeOrder } from "../support/made-order.ts";
import { sampleOrder } from "../support/orders.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack;
let host: string;
beforeAll(async () => {
  app = await startTestStack();
  host = app.stack.addresses.host?.url ?? "";
});
afterAll(() => app?.[Symbol.asyncDispose]());

/** Of a busy machine. */

const JSON_TYPE = { "content-type": "application/json" };
const ended = ({ processState, outbox }: StateRecord) =>
  processState === "Processed" || (hasEnded(processState) && outbox.length === 0);

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** As written: no client tidies the path or the headers. With the key of the host. */
function send(base: string, method: string, path: string, headers: Record<string, string>, body = ""): Promise<Answer> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const request = openRequest(
      { host: hostname, port, method, path, headers: { ...WITH_KEY, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
      },
    );
    request.once("error", reject).end(body);
  });
}

async function inError(orderId: string): Promise<StateRecord> {
  await app.switchOn("payment", { kind: "reject", status: 402, message: "card expired", calls: 1, match: { orderId } });
  await app.shop.send(madeOrder(orderId));
  // The fraud check beside the payment goes on, and is recorded after the order's end too.
  return app.eventually(orderId, (record) => ended(record) && record.steps["checkFraud"]?.state === "Completed");
}

async function sendRaw(body: unknown, properties: object = {}): Promise<void> {
  const sender = app.bus.createSender("jobs");
  await sender.sendMessages({ body, ...properties });
  await sender.close();
}

const faultsOf = async (messageId: string) =>
  (await app.records.quarantined()).filter((one) => one.messageId === messageId).flatMap(({ faults }) => faults);

describe("what is too large", () => {
  const reports = "/api/completions/nothing";

  test("a body of 90 MB, without a key, is answered 413 before it has arrived", async () => {
    const answer = await new Promise<number>((resolve, reject) => {
      const headers = { ...JSON_TYPE, "content-length": 90_000_000 };
      const request = openRequest(`${host}${reports}`, { method: "POST", headers }, (response) => {
        resolve(response.statusCode ?? 0);
        request.destroy();
      });
      // Nothing is sent of it.
      request.once("error", reject).flushHeaders();
    });
    expect(answer).toBe(413);
  });

  test("so is one that does not say how long it is", async () => {
    const piece = new Uint8Array(500_000);
    let sent = 0;
    const body = new ReadableStream({
      pull: (controller) => {
        sent += piece.length;
        if (sent > 50_000_000) controller.close();
        else controller.enqueue(piece);
      },
    });
    const answer = fetch(`${host}${reports}`, { method: "POST", body, duplex: "half" } as RequestInit);
    // The host closes the connection, which the client may notice before the answer.
    const status = await answer.then(
      (response) => response.status,
      () => 413,
    );
    expect(status).toBe(413);
    expect(sent).toBeLessThan(50_000_000);
  });

  test("one below the limit reaches the function", async () => {
    const answer = await send(host, "POST", reports, JSON_TYPE, JSON.stringify({ detail: "x".repeat(10_000) }));
    expect([400, 409]).toContain(answer.status);
  });

  const messenger = () =>
    createServiceBusMessenger(
      createBusSenders(() => app.bus),
      { agentReplies: "agent-replies" },
    );

  test("a status message is undeliverable, and no reason to wait", async () => {
    const reply: Reply = { replyTo: REPLY_QUEUE, replyToSessionId: null, correlationId: "c", traceparent: null };
    const message = { jobId: "large-1", attempt: 1, status: "Failed", at: new Date().toISOString() } as const;
    expect(await messenger().publish(reply, [{ ...message, detail: "x".repeat(300_000) }])).toBe("no-such-queue");
  });

  test("status messages that are too large for one send are not for two", async () => {
    const reply: Reply = { replyTo: REPLY_QUEUE, replyToSessionId: null, correlationId: "c", traceparent: null };
    const message = { jobId: "large-3", attempt: 1, at: new Date().toISOString(), detail: "x".repeat(200_000) };
    const [one, other] = [
      { ...message, status: "StepCompleted", step: "s" } as const,
      { ...message, status: "Completed" } as const,
    ];
    expect(await messenger().publish(reply, [one, other])).toBe("too-large-together");
    expect(await messenger().publish(reply, [one])).toBe("sent");
    expect(await messenger().publish(reply, [other])).toBe("sent");
  });

  test("an agent's request is said to be, too", async () => {
    const ticket = { jobId: "large-2", attempt: 1, step: "s", direction: "forward", lockedBy: "l" } as const;
    const times = { startBy: "", completeBy: "", completeWithin: "PT1S", priority: "normal" } as const;
    const order = { ...sampleOrder("large-2"), note: "x".repeat(300_000) };
    const request = {
      ticket,
      operation: "check",
      job: order,
      results: {},
      idempotencyKey: "k",
      compensates: null,
      ...times,
    };
    expect(await messenger().ask("fraud", request, 1000)).toBe("too-large");
  });

  test("a rejection of 300 KB ends its order like any other, and an operator can act on it", async () => {
    const match = { orderId: "large-3" };
    const fault = { kind: "reject", status: 402, message: "no ".repeat(100_000), calls: 1, match } as const;
    await app.switchOn("payment", fault);
    await app.shop.send(madeOrder("large-3"));
    const record = await app.eventually("large-3", ended);
    expect(record).toMatchObject({ processState: "Error", error: { step: "takePayment" } });
    expect(record.error?.message.length).toBeLessThanOrEqual(1000);
    const answer = await send(host, "POST", "/api/jobs/large-3/resubmit", JSON_TYPE, '{"reason":"fixed"}');
    expect(answer.status).toBe(200);
    expect(await app.eventually("large-3", ({ attempt }) => attempt === 2)).toMatchObject({ error: null });
  });
});

describe("what a sender may try", () => {
  test.each([
    ["lists", "[".repeat(20_000) + "]".repeat(20_000)],
    ["objects", `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`],
  ])("%s nested 20,000 deep: quarantined as text, with the fault named", async (name, text) => {
    const messageId = `deep-${name}`;
    await sendRaw(Buffer.from(text), { messageId });
    await expect.poll(() => faultsOf(messageId)).toContainEqual(expect.stringContaining("nested more than 100"));
    const page = await send(host, "GET", "/api/dead-letters?queue=quarantine&limit=100", {});
    const { messages } = JSON.parse(page.body) as { messages: { messageId: string; sequenceNumber: string }[] };
    const { sequenceNumber } = messages.find((one) => one.messageId === messageId) ?? {};
    const letter = await send(host, "GET", `/api/dead-letters/quarantine/${sequenceNumber}`, {});
    expect(JSON.parse(letter.body)).toMatchObject({ body: { kind: "text", text } });
  });

  test("neither an agent's reply nor an operator's request that is nested so stops anything", async () => {
    const deep = "[".repeat(20_000) + "]".repeat(20_000);
    const sender = app.bus.createSender("agent-replies");
    await sender.sendMessages({ body: Buffer.from(`{"ticket":${deep}}`) });
    await sender.close();
    const replies = async () => (await app.records.quarantined()).flatMap(({ faults }) => faults);
    await expect.poll(replies).toContainEqual("the body: is nested more than 100 levels deep");
    const body = `{"reason":"r","order":${deep}}`;
    const answer = await send(host, "POST", "/api/jobs/none/resubmit", JSON_TYPE, body);
    expect(answer).toMatchObject({ status: 400, body: expect.stringContaining("nested more than 100") });
    const resent = await send(
      host,
      "POST",
      "/api/dead-letters/jobs/1/resend",
      JSON_TYPE,
      `{"reason":"r","body":${deep}}`,
    );
    expect(resent).toMatchObject({ status: 400, body: expect.stringContaining("nested more than 100") });
  });

  test.each([
    ["correlationId", {}, { correlationId: "c".repeat(129) }],
    ["customer.email", { customer: { id: "c", email: `a@${`${"b".repeat(60)}.`.repeat(5)}example` } }, {}],
    ["__proto__", '"__proto__":{"priority":"high"}', {}],
    ["constructor", '"constructor":{"prototype":{"polluted":true}}', {}],
    ["isAdmin", { customer: { id: "c", isAdmin: true } }, {}],
  ])("a bad %s is quarantined with its fault", async (name, changes, properties) => {
    const messageId = `bad-${name}`;
    const order = madeOrder(messageId.replaceAll(/\W/g, "-"));
    // As text: an object literal would set the prototype in the place of a member.
    const text =
      typeof changes === "string"
        ? `${JSON.stringify(order).slice(0, -1)},${changes}}`
        : JSON.stringify({ ...order, ...changes });
    await sendRaw(Buffer.from(text), { messageId, ...properties });
    await expect.poll(() => faultsOf(messageId)).toContainEqual(expect.stringContaining(name));
    expect(await app.records.of([order.orderId])).toEqual([]);
  });

  test("one as large as a message may be is quarantined too, with what room there is for faults", async () => {
    const lines = Array.from({ length: 100 }, () => ({
      sku: "",
      quantity: 0,
      unitPrice: 0,
      ["x".repeat(300)]: 1,
    }));
    const order = { ...madeOrder("full-1"), lines };
    const fill = 261_000 - JSON.stringify(order).length;
    await sendRaw({ ...order, paymentToken: "x".repeat(fill) }, { messageId: "full-1" });
    await expect.poll(() => faultsOf("full-1")).toHaveLength(1);
  });

  test("a slow expression is no way to stop it: texts of 200 KB are rejected like others", async () => {
    const long = ["a".repeat(200_000), `a@${"a.".repeat(100_000)}`, `${"-".repeat(199_999)}!`];
    const bodies = long.flatMap((text, at) => [
      { ...madeOrder(`slow-email-${at}`), customer: { id: "c", email: text } },
      { ...madeOrder(`slow-id-${at}`), customer: { id: text } },
      { ...madeOrder("slow"), orderId: text },
      { ...madeOrder(`slow-country-${at}`), currency: text },
    ]);
    for (const [at, body] of bodies.entries()) await sendRaw(body, { messageId: `slow-${at}` });
    for (const at of bodies.keys())
      await expect
        .poll(() => faultsOf(`slow-${at}`))
        .toContainEqual(expect.stringMatching(/customer|orderId|currency/));
  });
});

describe("what a web page may try", () => {
  const compensation = "/api/jobs/page-1/compensate";
  const reason = '{"reason":"a page"}';

  test("no request of another site, and none under another name, reaches anything that changes", async () => {
    const before = await inError("page-1");
    const here = new URL(host).host;
    const attacks: Record<string, string>[] = [
      { ...JSON_TYPE, host: here, origin: "https://evil.example" },
      { ...JSON_TYPE, host: here, origin: "null" },
      { ...JSON_TYPE, host: `rebound.example:${new URL(host).port}`, origin: "http://rebound.example" },
      { "content-type": "text/plain", host: here, origin: `http://${here}` },
      { "content-type": "text/plain", host: here },
      { ...JSON_TYPE, host: here, "sec-fetch-site": "cross-site" },
    ];
    for (const headers of attacks) {
      for (const path of [compensation, "/api/supervisor/sweep"])
        expect([403, 415], `${path} ${JSON.stringify(headers)}`).toContain(
          (await send(host, "POST", path, headers, reason)).status,
        );
    }
    const durable = "/runtime/webhooks/durabletask/instances/page-1-1@JobScheduler/terminate";
    for (const path of [durable, "/admin/functions/supervisor"])
      for (const headers of attacks.slice(0, 3))
        expect((await send(host, "POST", path, headers, "{}")).status, path).toBe(403);
    expect(await app.eventually("page-1", () => true)).toEqual(before);
  });

  test("nor a simulated service, or what it holds", async () => {
    const payment = app.stack.addresses.remotes["payment"] ?? "";
    const fault = JSON.stringify({ kind: "down", forMs: 60_000 });
    // A browser sends a simple request of a form or an image without an origin, or asks nobody before it does.
    for (const headers of [{}, JSON_TYPE, { "content-type": "text/plain" }, { authorization: "Basic bG9jYWw=" }]) {
      expect((await send(payment, "POST", "/$faults", headers, fault)).status).toBe(401);
      expect((await send(payment, "DELETE", "/$faults", headers)).status).toBe(401);
      expect((await send(payment, "DELETE", "/$faults/1", headers)).status).toBe(401);
    }
    for (const headers of [{ origin: "https://evil.example" }, { host: "rebound.example" }]) {
      const withKey = { ...JSON_TYPE, ...headers, authorization: "local" };
      expect((await send(payment, "POST", "/$faults", withKey, fault)).status).toBe(403);
      expect((await send(payment, "GET", "/$effects", headers)).status).toBe(403);
    }
    expect((await send(payment, "GET", "/$faults", {})).body).toBe('{"faults":[]}');
  });
});

describe("what a caller of the list may try", () => {
  const list = (query: Record<string, string>) =>
    send(host, "GET", `/api/jobs?${new URLSearchParams(query).toString()}`, {});

  test.each([
    { q: `' OR true OR 'a'='a` },
    { q: `") OR 1=1 --` },
    { q: "%" },
    { q: "_".repeat(8) },
    { workflow: `order-fulfilment' OR c.processState='Error` },
    { workflow: "order-fulfilment\\" },
  ])("%j finds nothing: a filter is a value, and never part of the query", async (query) => {
    await app.shop.send(madeOrder("listed-1"));
    await app.eventually("listed-1", ended);
    expect(await list(query)).toEqual({ status: 200, body: '{"jobs":[]}' });
  });

  test.each([
    { step: `takePayment"] OR true OR c["a` },
    { step: "__proto__" },
    { state: "Processed' OR 'a'='a" },
    { limit: "1 OR 1" },
    { continuation: "x" },
    {
      continuation: Buffer.from('{"createdAt":"2026-01-01T00:00:00.000Z\' OR true","shown":[]}').toString("base64url"),
    },
    { continuation: Buffer.from('{"createdAt":"2026-01-01T00:00:00.000Z","shown":[{}]}').toString("base64url") },
    {
      continuation: Buffer.from('{"createdAt":"2026-01-01T00:00:00.000Z","shown":[],"query":"SELECT"}').toString(
        "base64url",
      ),
    },
  ])("%j is rejected with its fault", async (query) => {
    expect(await list(query)).toMatchObject({
      status: 400,
      body: expect.stringContaining(Object.keys(query)[0] ?? ""),
    });
  });

  test("what a forged continuation names is compared, and no more", async () => {
    const shown = [`' OR true OR '`, "listed-1"];
    const continuation = Buffer.from(JSON.stringify({ createdAt: "2000-01-01T00:00:00.000Z", shown })).toString(
      "base64url",
    );
    expect(await list({ continuation })).toEqual({ status: 200, body: '{"jobs":[]}' });
  });
});

test("the id %00 in a path is refused by the host, as Microsoft's does", async () => {
  for (const path of ["/api/jobs/%00", "/api/bulk/%00"]) expect((await send(host, "GET", path, {})).status).toBe(400);
  expect((await send(host, "POST", "/api/jobs/%00/compensate", JSON_TYPE, '{"reason":"r"}')).status).toBe(400);
});

test.each(["%2e", "%2e%2e", "..%2f..%2fcolls", "a%0d%0ax-admin:%201", "__proto__", "x".repeat(2000), "%ff"])(
  "the id %s in a path is that of no order, and of no action on many",
  async (id) => {
    for (const path of [`/api/jobs/${id}`, `/api/bulk/${id}`])
      expect((await send(host, "GET", path, {})).status, path).toBe(404);
    expect((await send(host, "POST", `/api/jobs/${id}/compensate`, JSON_TYPE, '{"reason":"r"}')).status).toBe(404);
  },
);
