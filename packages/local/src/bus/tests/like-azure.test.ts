// What Azure does now and then: a server that is busy, and senders that are detached since they were idle. The SDK gets over both.
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { ServiceBusClient } from "@azure/service-bus";
import rhea, { type EventContext } from "rhea";
import { afterEach, expect, test } from "vitest";
import { KEY, KEY_NAME } from "../links/claims.ts";
import { BusUnderTest, receiveNow } from "./bus-under-test.ts";

let under: BusUnderTest;
afterEach(() => under.destroy());

async function start(strictness: BusUnderTest["strictness"]): Promise<void> {
  under = new BusUnderTest();
  under.strictness = strictness;
  await under.start(["q", "other"].map((name) => ({ name, properties: {} })));
}

async function openSender() {
  const connection = rhea.create_container().connect({ host: "127.0.0.1", port: under.bus.port, reconnect: false });
  connection.on("disconnected", () => {});
  const sender = connection.open_sender("q");
  await once(sender, "sendable");
  return { connection, sender };
}

test("each third send is answered as by a busy server and not taken, and the SDK sends it again", async () => {
  await start({ serverBusyEvery: 3 });
  const { connection, sender } = await openSender();
  const outcomes: unknown[] = [];
  for (let n = 0; n < 6; n += 1) {
    sender.send({ body: n, message_id: `raw-${n}` });
    const outcome = await Promise.race([
      once(sender, "accepted").then(() => "accepted"),
      (once(sender, "rejected") as Promise<[EventContext]>).then(
        ([{ delivery }]) =>
          (delivery?.remote_state as { error?: { condition?: string } } | undefined)?.error?.condition,
      ),
    ]);
    outcomes.push(outcome);
  }
  const busy = "com.microsoft:server-busy";
  expect(outcomes).toEqual(["accepted", "accepted", busy, "accepted", "accepted", busy]);
  connection.close();
  const client = under.client.createSender("q");
  for (let n = 0; n < 4; n += 1) await client.sendMessages({ body: n, messageId: `sdk-${n}` });
  const received = await receiveNow(under.client.createReceiver("q", { receiveMode: "receiveAndDelete" }), 20);
  expect(received.map(({ messageId }) => messageId)).toEqual([
    "raw-0",
    "raw-1",
    "raw-3",
    "raw-4",
    ...[0, 1, 2, 3].map((n) => `sdk-${n}`),
  ]);
});

test("the sends to a queue that the switch names are answered as by a busy server, as many as it says", async () => {
  await start({});
  const refuse = (body: string, authorization?: string) =>
    fetch(`http://127.0.0.1:${under.bus.adminPort}/$refuse`, {
      method: "POST",
      body,
      ...(authorization !== undefined && { headers: { authorization } }),
    }).then(({ status }) => status);
  const { connectionString } = under.bus;
  const expiry = Math.ceil(Date.now() / 1000) + 60;
  const signature = createHmac("sha256", KEY).update(`sb\n${expiry}`).digest("base64");
  const token = `SharedAccessSignature sr=sb&sig=${encodeURIComponent(signature)}&se=${expiry}&skn=${KEY_NAME}`;
  expect(await refuse('{"queue":"q","sends":1}')).toBe(401);
  for (const wrong of ["", "{}", "null", '{"queue":"q","sends":-1}']) expect(await refuse(wrong, token)).toBe(400);
  expect(await refuse('{"queue":"none","sends":1}', token)).toBe(404);
  expect(await refuse('{"queue":"Q","sends":1}', token)).toBe(200);
  const client = new ServiceBusClient(connectionString, { retryOptions: { maxRetries: 0 } });
  await client.createSender("other").sendMessages({ body: 0 });
  await expect(client.createSender("q").sendMessages({ body: 1 })).rejects.toMatchObject({ code: "ServiceBusy" });
  await client.createSender("q").sendMessages({ body: 2 });
  expect(await refuse('{"queue":"q","sends":9}', token)).toBe(200);
  expect(await refuse('{"queue":"q","sends":0}', token)).toBe(200);
  await client.createSender("q").sendMessages({ body: 3 });
  await client.close();
});

test("a sender that is idle is detached, and the SDK's next send opens a link again", async () => {
  await start({ idleDetachMs: 500 });
  const client = under.client.createSender("q");
  await client.sendMessages({ body: 1 });
  const { connection, sender } = await openSender();
  await once(sender, "sender_error", { signal: AbortSignal.timeout(5000) });
  expect(sender.error).toMatchObject({ condition: "amqp:link:detach-forced" });
  await client.sendMessages({ body: 2 });
  expect(await under.client.createReceiver("q").peekMessages(5)).toHaveLength(2);
  connection.close();
});
