import type { OperationOptions } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BusUnderTest, receiveOne } from "./bus-under-test.ts";

const under = new BusUnderTest();
beforeAll(() => under.start([{ name: "orders", properties: { lockDuration: "PT30S", maxDeliveryCount: 5 } }]));
afterAll(() => under.destroy());

const administer = (connectionString?: string) => under.administer(connectionString);
const noOptions: OperationOptions = {};

test("queues are created, read, listed, updated and deleted", async () => {
  const client = administer();
  const created = await client.createQueue("new", {
    lockDuration: "PT45S",
    requiresSession: false,
    userMetadata: "a & b",
  });
  expect(created).toMatchObject({
    name: "new",
    lockDuration: "PT45S",
    maxDeliveryCount: 10,
    status: "Active",
    userMetadata: "a & b",
  });
  await expect(client.createQueue("NEW", noOptions)).rejects.toMatchObject({ code: "MessageEntityAlreadyExistsError" });
  expect(await client.getQueue("orders")).toMatchObject({ name: "orders", lockDuration: "PT30S", maxDeliveryCount: 5 });
  const names: string[] = [];
  for await (const { name } of client.listQueues()) names.push(name);
  expect(names).toEqual(["orders", "new"]);

  await under.client.createSender("new").sendMessages({ body: 1 });
  await client.updateQueue({ ...created, maxDeliveryCount: 1 });
  expect(await client.getQueue("new")).toMatchObject({ maxDeliveryCount: 1, lockDuration: "PT45S" });
  const receiver = under.client.createReceiver("new");
  await receiver.abandonMessage(await receiveOne(receiver));
  await receiveOne(under.client.createReceiver("new", { subQueueType: "deadLetter" }));

  await client.deleteQueue("new");
  expect(await client.queueExists("new")).toBe(false);
  expect(await client.queueExists("orders")).toBe(true);
  await expect(client.deleteQueue("new")).rejects.toMatchObject({ code: "MessageEntityNotFoundError" });
  await expect(client.getQueue("new")).rejects.toMatchObject({ code: "MessageEntityNotFoundError" });
});

test("authorization rules are kept, and a partitioned queue has sixteen times the size", async () => {
  const client = administer();
  const rule = { claimType: "SharedAccessKey", keyName: "reader", primaryKey: "a2V5", secondaryKey: "a2V5Mg==" };
  const authorizationRules = [{ ...rule, accessRights: ["Listen" as const] }];
  await client.createQueue("guarded", { authorizationRules, enablePartitioning: true });
  expect(await client.getQueue("guarded")).toMatchObject({ authorizationRules, maxSizeInMegabytes: 16_384 });
  await client.deleteQueue("guarded");
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
  const entry = (
    description: string,
    connect = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect",
  ) => {
    const content = description.replace(/^<(\w+)/, `<$1 xmlns="${connect}"`);
    return `<entry xmlns="http://www.w3.org/2005/Atom"><content>${content}</content></entry>`;
  };
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
    entry("<QueueDescription><UserMetadata>&nobody;</UserMetadata></QueueDescription>"),
    entry("<QueueDescription><UserMetadata>a & b</UserMetadata></QueueDescription>"),
    entry("<QueueDescription><UserMetadata>\u0001</UserMetadata></QueueDescription>"),
    `<!DOCTYPE entry>${entry("<QueueDescription></QueueDescription>")}`,
    entry("<ThingDescription/>"),
    "<a>".repeat(5000),
    `${"<a>".repeat(5000)}${"</a>".repeat(5000)}`,
    '<!DOCTYPE x [<!ENTITY a "aaaa">]><entry>&a;</entry>',
    entry("<QueueDescription></QueueDescription>", "urn:other"),
    "<entry><content><QueueDescription></QueueDescription></content></entry>",
    entry("<QueueDescription><UserMetadata>&#0;</UserMetadata></QueueDescription>"),
    entry("<QueueDescription><UserMetadata>&#xD800;</UserMetadata></QueueDescription>"),
    entry("<QueueDescription><UserMetadata>&#x110000;</UserMetadata></QueueDescription>"),
    Buffer.from(entry("<QueueDescription><UserMetadata>\u00ff</UserMetadata></QueueDescription>"), "latin1"),
  ]) {
    const answer = await ask("/x", { method: "PUT", headers: { authorization }, body });
    expect([answer.status, String(body.slice(0, 80))]).toEqual([400, String(body.slice(0, 80))]);
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

test("lists come in pages", async () => {
  const client = administer();
  for (let index = 0; index < 7; index += 1) await client.createQueue(`paged${index}`, noOptions);
  const sizes: number[] = [];
  for await (const page of client.listQueues().byPage({ maxPageSize: 3 })) sizes.push(page.length);
  expect(sizes.slice(0, 2)).toEqual([3, 3]);
  expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(7);
});

test("the namespace describes itself, by the name that its client knows", async () => {
  expect(await administer().getNamespaceProperties()).toMatchObject({ name: "local-bus", messagingSku: "Standard" });
  const client = administer();
  client.pipeline.addPolicy({
    name: "named",
    sendRequest: (request, next) => {
      request.headers.set("host", "shop.servicebus.windows.net");
      return next(request);
    },
  });
  expect(await client.getNamespaceProperties()).toMatchObject({ name: "shop" });
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
