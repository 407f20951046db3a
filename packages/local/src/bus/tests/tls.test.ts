import { readFileSync } from "node:fs";
import { connect as dial } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { type OperationOptions, ServiceBusAdministrationClient, ServiceBusClient } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningBus } from "../start.ts";
import { BusUnderTest, receiveOne } from "./bus-under-test.ts";

const under = new BusUnderTest();
const noOptions: OperationOptions = {};
const usual = getCACertificates();
let tls: NonNullable<RunningBus["tls"]>;
beforeAll(async () => {
  await under.start([{ name: "orders", properties: {} }], 0, { port: 0 });
  if (!under.bus.tls) throw new Error("TLS was asked for");
  tls = under.bus.tls;
  // What NODE_EXTRA_CA_CERTS does for a process from its start.
  setDefaultCACertificates([...usual, readFileSync(tls.certificateFile, "utf8")]);
});
afterAll(async () => {
  await under.destroy();
  setDefaultCACertificates(usual);
});

const unsecured = () => under.bus.connectionString;
/** As a client writes it that knows no emulator. */
const secured = (port: number) => tls.connectionString.replace(/localhost:\d+/, `localhost:${port}`);

test.each(["its own port", "the usual port", "the administration's port"])("the SDK over TLS, on %s", async (where) => {
  const ports: Readonly<Record<string, number>> = {
    "its own port": tls.port,
    "the usual port": under.bus.port,
    "the administration's port": under.bus.adminPort,
  };
  const connectionString = secured(ports[where] ?? 0);
  const client = new ServiceBusClient(connectionString, { retryOptions: { maxRetries: 0 } });
  const administration = new ServiceBusAdministrationClient(connectionString, { retryOptions: { maxRetries: 0 } });
  const name = where.replaceAll(/\W+/g, "-");
  expect(await administration.createQueue(name, noOptions)).toMatchObject({ name });
  await client.createSender(name).sendMessages({ body: "y".repeat(200_000) });
  const receiver = client.createReceiver(name);
  const message = await receiveOne(receiver);
  expect(message.body).toHaveLength(200_000);
  await receiver.completeMessage(message);
  expect(await administration.getQueueRuntimeProperties(name)).toMatchObject({ totalMessageCount: 0 });
  await client.close();
});

test("who does not ask for TLS is served as before, but not on the port that is for TLS alone", async () => {
  await under.client.createSender("orders").sendMessages({ body: "plain" });
  expect((await receiveOne(under.client.createReceiver("orders"))).body).toBe("plain");
  expect(await under.administer(unsecured()).queueExists("orders")).toBe(true);
  const socket = dial(tls.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write("AMQP\x00\x01\x00\x00");
  await new Promise((resolve) => socket.once("close", resolve));
});

test("a handshake that fails ends its own connection alone", async () => {
  const socket = dial(under.bus.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.resume();
  socket.write(Buffer.from("160301000501000001ff", "hex"));
  await new Promise((resolve) => socket.once("close", resolve));
  const silent = dial(under.bus.port, "127.0.0.1");
  await new Promise((resolve) => silent.once("connect", resolve));
  silent.resetAndDestroy();
  await under.client.createSender("orders").sendMessages({ body: "still here" });
});
