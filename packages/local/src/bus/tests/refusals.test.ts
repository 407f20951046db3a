import { connect as dial } from "node:net";
import { ServiceBusClient } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBus } from "../start.ts";
import { BusUnderTest, connect } from "./bus-under-test.ts";

const under = new BusUnderTest();
beforeAll(() => under.start([{ name: "orders", properties: {} }]));
afterAll(() => under.destroy());

test("an unknown queue is MessagingEntityNotFound, for sender, receiver and management", async () => {
  const message = expect.stringContaining("The messaging entity 'sb://127.0.0.1/nowhere' could not be found.");
  const notFound = { code: "MessagingEntityNotFound" };
  await expect(under.client.createSender("nowhere").sendMessages({ body: 1 })).rejects.toMatchObject({
    ...notFound,
    message,
  });
  await expect(
    under.client.createReceiver("nowhere").receiveMessages(1, { maxWaitTimeInMs: 500 }),
  ).rejects.toMatchObject(notFound);
  await expect(under.client.createReceiver("nowhere").peekMessages(1)).rejects.toMatchObject(notFound);
});

test("a wrong key is UnauthorizedAccess", async () => {
  const client = new ServiceBusClient(under.bus.connectionString.replace("SAS_KEY_VALUE", "c2VjcmV0"), {
    retryOptions: { maxRetries: 0, retryDelayInMs: 300 },
  });
  await expect(client.createSender("orders").sendMessages({ body: 1 })).rejects.toMatchObject({
    code: "UnauthorizedAccess",
  });
  await client.close();
});

test("a message above the limit is MessageSizeExceeded, and one just below it passes", async () => {
  const sender = under.client.createSender("orders");
  await expect(sender.sendMessages({ body: "x".repeat(300_000) })).rejects.toMatchObject({
    code: "MessageSizeExceeded",
  });
  const body = "y".repeat(250_000);
  await sender.sendMessages({ body });
  const receiver = under.client.createReceiver("orders", { receiveMode: "receiveAndDelete" });
  const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 2000 });
  expect(message?.body).toBe(body);
});

test("a message above the limit cannot be scheduled either", async () => {
  const sender = under.client.createSender("orders");
  const dueAt = new Date(Date.now() + 60_000);
  await expect(sender.scheduleMessages({ body: "x".repeat(300_000) }, dueAt)).rejects.toMatchObject({
    code: "MessageSizeExceeded",
  });
  await sender.scheduleMessages({ body: "y".repeat(250_000) }, dueAt);
});

test("a busy port rejects with Node's error", async () => {
  const { folder, bus } = under;
  const busy = { code: "EADDRINUSE" };
  const data = `${folder}/other`;
  await expect(startBus({ port: bus.port, adminPort: 0, data })).rejects.toMatchObject({ ...busy, port: bus.port });
  await expect(startBus({ port: 0, adminPort: bus.adminPort, data })).rejects.toMatchObject({
    ...busy,
    port: bus.adminPort,
  });
});

test("settings that cannot be read are named", async () => {
  const queues = [{ name: "orders", properties: { lockDuration: "a minute" } }];
  await expect(startBus({ port: 0, adminPort: 0, data: `${under.folder}/bad`, queues })).rejects.toThrow(
    /orders.*a minute/s,
  );
});

test("a queue cannot begin to require sessions", async () => {
  const data = `${under.folder}/sessions`;
  const first = await startBus({ port: 0, adminPort: 0, data, queues: [{ name: "orders", properties: {} }] });
  await first.close();
  const queues = [{ name: "orders", properties: { requiresSession: true } }];
  await expect(startBus({ port: 0, adminPort: 0, data, queues })).rejects.toThrow(/requiresSession cannot be changed/);
});

test("the broker outlives a client that breaks off", async () => {
  const socket = dial(under.bus.port, "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.end("GET / HTTP/1.1\r\n\r\n");
  await new Promise((resolve) => socket.once("close", resolve));
  const client = connect(under.bus.connectionString);
  await client.createSender("orders").sendMessages({ body: "still here" });
  await client.close();
});

test("closing does not wait for a connection that says nothing", async () => {
  const bus = await startBus({ port: 0, adminPort: 0, data: `${under.folder}/silent` });
  const socket = dial(bus.port, "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  const startedAt = Date.now();
  await bus.close();
  expect(Date.now() - startedAt).toBeLessThan(2000);
  socket.destroy();
});
