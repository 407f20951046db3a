// The limits of Azure Service Bus of which more or less passes here: what the table says that this broker does instead.
import { once } from "node:events";
import { connect as connectTo } from "node:net";
import { networkInterfaces } from "node:os";
import type { ServiceBusAdministrationClient } from "@azure/service-bus";
import rhea from "rhea";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { NO_TRANSACTIONS } from "../amqp/amqp-session.ts";
import { NO_TOPICS } from "../entities/entity-path.ts";
import { BUS_NOT_KEPT as NOT_KEPT, BUS_STRICTER as STRICTER } from "../limits.ts";
import { Sessions } from "../queue/sessions.ts";
import { Store } from "../queue/store.ts";
import { types } from "../rhea-internals.ts";
import { BusUnderTest, connect } from "./bus-under-test.ts";
import { ATTACH, DETACH, DISPOSITION, frame, RawClient, TRANSFER } from "./raw-client.ts";

const under = new BusUnderTest();
beforeAll(() => under.start(["q", "other"].map((name) => ({ name, properties: {} }))));
afterAll(() => under.destroy());

test(NOT_KEPT.receives.what, async () => {
  const connection = rhea.create_container().connect({ host: "127.0.0.1", port: under.bus.port, reconnect: false });
  connection.on("disconnected", () => {});
  let opened = 0;
  let refused = 0;
  connection.on("receiver_open", () => (opened += 1));
  connection.on("receiver_error", () => (refused += 1));
  for (let n = 0; n < 2; n += 1) {
    const session = connection.create_session();
    session.open();
    for (let link = 0; link < 2501; link += 1) session.open_receiver({ source: "q", name: `${n} ${link}` });
  }
  await expect.poll(() => opened + refused, { timeout: 60_000 }).toBe(5002);
  expect(refused).toBe(0);
  connection.close();
  await once(connection, "connection_close");
});

test(NOT_KEPT.namespaceGigabytes.what, async () => {
  const counted: number[] = [];
  const holds = vi.spyOn(Store.prototype, "holds").mockImplementation((queue) => counted.push(queue) < 0);
  for (const queue of ["q", "other"]) await under.client.createSender(queue).sendMessages({ body: 1 });
  holds.mockRestore();
  // Each entity is counted for itself.
  expect(new Set(counted).size).toBe(2);
});

test(NOT_KEPT.sessionStates.what, async () => {
  const store = { commit: (work: () => void) => work(), putSessionState: () => {} };
  const rules = { now: () => 0, lockDurationMs: () => 1, onReleased: () => {} };
  const sessions = new Sessions(store as unknown as Store, 1, rules);
  const state = Buffer.from("state");
  for (let n = 0; n <= 1_000_000; n += 1) await sessions.setState(`${n}`, state);
  expect(sessions.state("1000000")).toBe(state);
});

test(NOT_KEPT.credits.what, async () => {
  const sender = under.client.createSender("q");
  const batch = await sender.createMessageBatch();
  for (let n = 0; n < 1001; n += 1) expect(batch.tryAddMessage({ body: 1 })).toBe(true);
  await sender.sendMessages(batch);
});

describe(STRICTER.topics.what, () => {
  const refused = { statusCode: 400, message: expect.stringContaining(NO_TOPICS) };
  test.each<[string, (client: ServiceBusAdministrationClient) => Promise<unknown>]>([
    ["a topic is created", (client) => client.createTopic("topic")],
    ["topics are listed", (client) => client.listTopics().next()],
    ["a subscription is created", (client) => client.createSubscription("topic", "sub")],
    ["subscriptions are listed", (client) => client.listSubscriptions("topic").next()],
    ["a subscription is read", (client) => client.getSubscription("topic", "sub")],
    ["a rule is created", (client) => client.createRule("topic", "sub", "rule", { sqlExpression: "1=1" })],
    ["a rule is deleted", (client) => client.deleteRule("topic", "sub", "rule")],
  ])("%s", async (_, ask) => {
    await expect(ask(under.administer())).rejects.toMatchObject(refused);
  });

  test("a subscription's messages are received, and its rules managed", async () => {
    const receiver = under.client.createReceiver("topic", "sub");
    await expect(receiver.receiveMessages(1, { maxWaitTimeInMs: 200 })).rejects.toThrow(NO_TOPICS);
    await expect(under.client.createRuleManager("topic", "sub").deleteRule("rule")).rejects.toThrow(NO_TOPICS);
  });
});

test(STRICTER.accessRules.what, async () => {
  const rule = { claimType: "SharedAccessKey", keyName: "reader", primaryKey: "a", secondaryKey: "b" };
  const authorizationRules = [{ ...rule, accessRights: ["Listen" as const] }];
  const created = under.administer().createQueue("guarded", { authorizationRules });
  await expect(created).rejects.toThrow("Authorization rules are not supported");
});

test(STRICTER.idleTime.what, async () => {
  const created = under.administer().createQueue("brief", { autoDeleteOnIdle: "PT5M" });
  await expect(created).rejects.toThrow("deletions of idle queues are not supported");
});

test.each<[string, (client: ServiceBusAdministrationClient) => Promise<unknown>]>([
  ["Updates of queues", async (client) => client.updateQueue(await client.getQueue("q"))],
  ["Lists of queues", (client) => client.listQueues().next()],
  ["Properties of the namespace", (client) => client.getNamespaceProperties()],
])("%s are refused by name", async (what, ask) => {
  await expect(ask(under.administer())).rejects.toThrow(`${what} are not supported by this broker`);
});

describe(STRICTER.transactions.what, () => {
  const refused = ["amqp:not-implemented", NO_TRANSACTIONS];
  const described = (code: number, fields: readonly unknown[] = []) =>
    types.described(types.wrap_ulong(code), types.wrap_list(fields));

  test.each([
    ["a link that declares them", described(0x30), {}],
    [
      "a link by way of another entity",
      described(0x29, ["q"]),
      { "com.microsoft:transfer-destination-address": "other" },
    ],
  ])("%s", async (_, target, properties) => {
    const client = await RawClient.connect(under.bus.port);
    const source = described(0x28);
    const handle = types.wrap_uint(0);
    const fields = [source, target, null, null, handle, null, null, null, types.wrap_symbolic_map(properties)];
    client.send(frame(ATTACH, ["declares", handle, false, null, null, ...fields]));
    const { fields: detach } = await client.next(DETACH);
    expect(detach[2]).toEqual(expect.arrayContaining(refused));
    client.socket.destroy();
  });

  test("a message that is sent in one", async () => {
    const client = await RawClient.connect(under.bus.port);
    await client.attachSender("q");
    const state = described(0x34, [Buffer.from("transaction")]);
    client.transfer(0, rhea.message.encode({ body: 1 }), [null, false, null, state]);
    expect(await client.closed()).toEqual(expect.arrayContaining(refused));
  });

  test("a message that is settled in one", async () => {
    await under.client.createSender("q").sendMessages({ body: 1 });
    const client = await RawClient.connect(under.bus.port);
    client.attachReceiver("q");
    await client.next(TRANSFER);
    const first = types.wrap_uint(0);
    client.send(
      frame(DISPOSITION, [true, first, first, false, described(0x34, [Buffer.from("transaction"), described(0x24)])]),
    );
    expect(await client.closed()).toEqual(expect.arrayContaining(refused));
  });
});

test(STRICTER.largeMessages.what, async () => {
  const sent = under.client.createSender("q").sendMessages({ body: "x".repeat(256 * 1024) });
  await expect(sent).rejects.toMatchObject({ code: "MessageSizeExceeded" });
});

test(STRICTER.namespaces.what, async () => {
  // Two names of one machine.
  const [first, second] = ["localhost", "127.0.0.1"].map((host) =>
    connect(under.bus.connectionString.replace(/localhost|127\.0\.0\.1/, host)),
  );
  await first?.createSender("other").sendMessages({ body: "by the first name" });
  const received = await second?.createReceiver("other").peekMessages(10);
  expect(received?.map(({ body }) => body)).toContain("by the first name");
  await first?.close();
  await second?.close();
});

test(STRICTER.networks.what, async () => {
  const own = Object.values(networkInterfaces()).flatMap((all = []) => all);
  for (const { address } of own.filter(({ internal, family }) => !internal && family === "IPv4")) {
    const socket = connectTo(under.bus.port, address);
    await expect(once(socket, "connect")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  }
  await once(connectTo(under.bus.port, "127.0.0.1").unref(), "connect");
});
