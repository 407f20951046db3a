// With required claims: who put no token for an entity may not use it, and who put one may until that expires.
import { createHmac } from "node:crypto";
import { once } from "node:events";
import rhea, { type Connection, type EventContext } from "rhea";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { KEY, KEY_NAME } from "../links/claims.ts";
import { BusUnderTest, receiveOne } from "./bus-under-test.ts";

const under = new BusUnderTest();
const open: Connection[] = [];
beforeAll(async () => {
  under.strictness = { requireClaims: true };
  await under.start(["one", "two", "one-more"].map((name) => ({ name, properties: {} })));
});
afterAll(() => under.destroy());
afterEach(() => {
  for (const connection of open.splice(0)) connection.close();
});

async function connect(user: object = {}): Promise<Connection> {
  const options = { host: "127.0.0.1", port: under.bus.port, reconnect: false as const, ...user };
  const connection = rhea.create_container().connect(options);
  connection.on("disconnected", () => {});
  await once(connection, "connection_open");
  open.push(connection);
  return connection;
}

function tokenFor(resource: string, seconds = 60): string {
  const [sr, se] = [encodeURIComponent(resource), Math.floor(Date.now() / 1000) + seconds];
  const sig = encodeURIComponent(createHmac("sha256", KEY).update(`${sr}\n${se}`).digest("base64"));
  return `SharedAccessSignature sr=${sr}&sig=${sig}&se=${se}&skn=${KEY_NAME}`;
}

/** The status that a put of a token is answered with. */
async function put(connection: Connection, name: string, token: string): Promise<unknown> {
  const claims = connection.open_sender("$cbs");
  const answers = connection.open_receiver("$cbs");
  await Promise.all([once(claims, "sendable"), once(answers, "receiver_open")]);
  const answered = once(answers, "message") as Promise<[EventContext]>;
  claims.send({ message_id: "1", application_properties: { operation: "put-token", name }, body: token });
  const [{ message }] = await answered;
  claims.close();
  answers.close();
  return message?.application_properties?.["status-code"];
}

async function outcomeOf(connection: Connection, address: string): Promise<unknown> {
  const session = connection.create_session();
  session.begin();
  const link = session.open_sender(address);
  const outcome = await Promise.race([
    once(link, "sendable").then(() => "open"),
    once(link, "sender_error").then(() => (link.error as { condition?: string }).condition),
  ]);
  link.close();
  return outcome;
}

const UNAUTHORIZED = "amqp:unauthorized-access";

test("the SDK puts its tokens: queues, dead letters, sessions of requests", async () => {
  await under.client.createSender("one").sendMessages({ body: 1 });
  const receiver = under.client.createReceiver("one");
  expect(await receiver.peekMessages(1)).toHaveLength(1);
  await receiver.deadLetterMessage(await receiveOne(receiver));
  const dead = under.client.createReceiver("one", { subQueueType: "deadLetter" });
  await dead.completeMessage(await receiveOne(dead));
});

test("without a token nothing is sent, received or asked", async () => {
  const connection = await connect();
  expect(await outcomeOf(connection, "one")).toBe(UNAUTHORIZED);
  const receiver = connection.open_receiver("one");
  await once(receiver, "receiver_error");
  expect(receiver.error).toMatchObject({ condition: UNAUTHORIZED });
  const requests = connection.open_sender("one/$management");
  const answers = connection.open_receiver("one/$management");
  await once(requests, "sendable");
  const properties = { operation: "com.microsoft:peek-message" };
  requests.send({ message_id: "1", application_properties: properties, body: {} });
  const [{ message }] = (await once(answers, "message")) as [EventContext];
  expect(message?.application_properties).toMatchObject({ statusCode: 401, errorCondition: UNAUTHORIZED });
});

test("a token is good for its entity and what is below it, not for another one of a similar name", async () => {
  const connection = await connect();
  expect(await put(connection, "sb://localhost/one", tokenFor("sb://localhost/one"))).toBe(202);
  expect(await outcomeOf(connection, "one")).toBe("open");
  expect(await outcomeOf(connection, "ONE")).toBe("open");
  expect(await outcomeOf(connection, "two")).toBe(UNAUTHORIZED);
  expect(await outcomeOf(connection, "one-more")).toBe(UNAUTHORIZED);
});

test("a token for one entity is not taken for another; one for the namespace is", async () => {
  const connection = await connect();
  expect(await put(connection, "sb://localhost/two", tokenFor("sb://localhost/one"))).toBe(401);
  expect(await outcomeOf(connection, "two")).toBe(UNAUTHORIZED);
  expect(await put(connection, "sb://localhost/two", tokenFor("sb://localhost/"))).toBe(202);
  expect(await outcomeOf(connection, "two")).toBe("open");
});

test("one client's token is not another's", async () => {
  const [one, other] = [await connect(), await connect()];
  await put(one, "sb://localhost/one", tokenFor("sb://localhost/one"));
  expect(await outcomeOf(other, "one")).toBe(UNAUTHORIZED);
});

test("a link ends when its token expires, and lives on with a newer one", async () => {
  const connection = await connect();
  for (const name of ["one", "two"])
    await put(connection, `sb://localhost/${name}`, tokenFor(`sb://localhost/${name}`, 2));
  await put(connection, "sb://localhost/two", tokenFor("sb://localhost/two", 60));
  const [first, second] = ["one", "two"].map((address) => connection.open_sender(address));
  if (!first || !second) throw new Error("Two links were opened");
  await once(first, "sender_error", { signal: AbortSignal.timeout(8000) });
  expect(first.error).toMatchObject({ condition: UNAUTHORIZED, description: expect.stringContaining("expired") });
  second.send({ body: 1 });
  await once(second, "accepted");
});

test("the key in the handshake is good for all, a name in an anonymous one for nothing", async () => {
  const keyed = await connect({ username: KEY_NAME, password: KEY });
  expect(await outcomeOf(keyed, "one")).toBe("open");
  expect(await outcomeOf(await connect({ username: KEY_NAME }), "one")).toBe(UNAUTHORIZED);
});
