import type { OperationOptions } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BusUnderTest, receiveOne } from "./bus-under-test.ts";

const under = new BusUnderTest();
beforeAll(() => under.start([{ name: "orders", properties: { lockDuration: "PT30S", maxDeliveryCount: 5 } }]));
afterAll(() => under.destroy());

const administer = (connectionString?: string) => under.administer(connectionString);
const noOptions: OperationOptions = {};

test("queues are created, read and deleted", async () => {
  const client = administer();
  const created = await client.createQueue("new", {
    lockDuration: "PT45S",
    enablePartitioning: true,
    userMetadata: "a & b",
  });
  expect(created).toMatchObject({
    name: "new",
    lockDuration: "PT45S",
    // Sixteen partitions of the usual size.
    maxSizeInMegabytes: 16_384,
    maxDeliveryCount: 10,
    status: "Active",
    userMetadata: "a & b",
  });
  await expect(client.createQueue("NEW", noOptions)).rejects.toMatchObject({ code: "MessageEntityAlreadyExistsError" });
  expect(await client.getQueue("orders")).toMatchObject({ name: "orders", lockDuration: "PT30S", maxDeliveryCount: 5 });
  await client.deleteQueue("new");
  expect(await client.queueExists("new")).toBe(false);
  expect(await client.queueExists("orders")).toBe(true);
  await expect(client.deleteQueue("new")).rejects.toMatchObject({ code: "MessageEntityNotFoundError" });
  await expect(client.getQueue("new")).rejects.toMatchObject({ code: "MessageEntityNotFoundError" });
});

test("runtime properties count what is where", async () => {
  const sender = under.client.createSender("orders");
  await sender.sendMessages([{ body: 1 }, { body: 2 }, { body: 3 }]);
  await sender.scheduleMessages({ body: 4 }, new Date(Date.now() + 60_000));
  const receiver = under.client.createReceiver("orders");
  await receiver.deadLetterMessage(await receiveOne(receiver));
  await receiver.deferMessage(await receiveOne(receiver));
  const properties = await administer().getQueueRuntimeProperties("orders");
  expect(properties).toMatchObject({
    activeMessageCount: 1,
    scheduledMessageCount: 1,
    deadLetterMessageCount: 1,
    totalMessageCount: 4,
  });
  expect(properties.sizeInBytes).toBeGreaterThan(10);
  expect(await under.get("/$queues")).toEqual([
    { name: "orders", active: 1, scheduled: 1, deferred: 1, deadLetter: 1 },
  ]);
  expect(await under.get("/$counts")).toMatchObject({ deadLetters: expect.any(Number), commits: expect.any(Number) });
});

test("a deleted queue's links are closed, its messages do not come back with its name", async () => {
  const client = administer();
  await client.createQueue("brief", noOptions);
  const sender = under.client.createSender("brief");
  await sender.sendMessages({ body: 1 });
  await client.deleteQueue("brief");
  await expect(sender.sendMessages({ body: 2 })).rejects.toMatchObject({ code: "MessagingEntityNotFound" });
  await client.createQueue("brief", noOptions);
  expect(await under.client.createReceiver("brief").peekMessages(1)).toEqual([]);
});

test("bad settings and a wrong key are refused", async () => {
  await expect(administer().createQueue("bad", { lockDuration: "long" })).rejects.toMatchObject({ statusCode: 400 });
  const stranger = administer(under.bus.connectionString.replace("SAS_KEY_VALUE", "c2VjcmV0"));
  await expect(stranger.getQueue("orders")).rejects.toMatchObject({ statusCode: 401 });
});

test("what a request has wrong is answered, and the next one is served", async () => {
  const { adminPort } = under.bus;
  const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${adminPort}${path}`, init);
  const authorization = await administerToken();
  expect((await ask("/%ZZ", { headers: { authorization } })).status).toBe(400);
  const entry = (description: string) => `<entry><content>${description}</content></entry>`;
  for (const body of [
    "",
    "no xml",
    "<no<xml",
    "<entry>",
    "<entry><content></entry></content>",
    entry("<QueueDescription><LockDuration>PT1M</QueueDescription>"),
    entry("<QueueDescription><MaxDeliveryCount>ten</MaxDeliveryCount></QueueDescription>"),
    entry("<QueueDescription><RequiresSession>perhaps</RequiresSession></QueueDescription>"),
    entry("<QueueDescription><LockDuration>soon</LockDuration></QueueDescription>"),
    entry("<QueueDescription><LockDuration><a>PT1M</a></LockDuration></QueueDescription>"),
    entry("<QueueDescription><UserMetadata>a & b</UserMetadata></QueueDescription>"),
    entry("<ThingDescription/>"),
    "<a>".repeat(5000),
    `${"<a>".repeat(5000)}${"</a>".repeat(5000)}`,
    '<!DOCTYPE x [<!ENTITY a "aaaa">]><entry>&a;</entry>',
  ]) {
    const answer = await ask("/x", { method: "PUT", headers: { authorization }, body });
    expect([answer.status, body.slice(0, 80)]).toEqual([400, body.slice(0, 80)]);
  }
  expect((await ask("/x", { method: "PUT", headers: { authorization }, body: "x".repeat(2_000_000) })).status).toBe(
    413,
  );
  expect((await ask("/orders", { method: "PATCH", headers: { authorization } })).status).toBe(405);
  expect((await ask("/orders", { headers: { authorization: "SharedAccessSignature sr=x&sig=%ZZ&se=9" } })).status).toBe(
    401,
  );
  const fine = entry("<QueueDescription><UserMetadata>&#65;ÿ</UserMetadata></QueueDescription>");
  expect((await ask("/fine", { method: "PUT", headers: { authorization }, body: fine })).status).toBe(201);
  for (const name of ["a//b", "-x", "x/$deadletterqueue", "t/subscriptions"]) {
    await expect(administer().createQueue(name, noOptions)).rejects.toMatchObject({ statusCode: expect.any(Number) });
  }
  expect(await administer().queueExists("orders")).toBe(true);
});

/** The header that the real client sends. */
async function administerToken(): Promise<string> {
  const client = administer();
  let header = "";
  client.pipeline.addPolicy(
    {
      name: "listen",
      sendRequest: (request, next) => {
        header = request.headers.get("authorization") ?? "";
        return next(request);
      },
    },
    { afterPhase: "Sign" },
  );
  await client.queueExists("orders");
  return header;
}
