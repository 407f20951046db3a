// How many clients a namespace takes, and how long one of them may send nothing.
import { once } from "node:events";
import rhea, { type Connection, type ConnectionError } from "rhea";
import { afterEach, expect, test, vi } from "vitest";
import { BUS_LIMITS as LIMITS } from "../limits.ts";
import { BusUnderTest } from "./bus-under-test.ts";

let under: BusUnderTest;
afterEach(() => under.destroy());

async function start(): Promise<void> {
  under = new BusUnderTest();
  await under.start([{ name: "q", properties: {} }]);
}

function open(): Connection {
  const connection = rhea.create_container().connect({ host: "127.0.0.1", port: under.bus.port, reconnect: false });
  connection.on("disconnected", () => {});
  return connection;
}

test(LIMITS.connections.what, async () => {
  const { value } = LIMITS.connections;
  await start();
  // As many as this would take seconds and ports.
  Reflect.set(LIMITS.connections, "value", 2);
  try {
    const [first, second] = [open(), open()];
    await Promise.all([once(first, "connection_open"), once(second, "connection_open")]);
    const third = open();
    await once(third, "connection_error");
    expect((third.error as ConnectionError).condition).toBe("amqp:resource-limit-exceeded");
    first.close();
    await once(first, "connection_close");
    const fourth = open();
    await once(fourth, "connection_open");
    for (const connection of [second, fourth]) connection.close();
  } finally {
    Reflect.set(LIMITS.connections, "value", value);
  }
});

test(LIMITS.idleSenderMs.what, async () => {
  const now = Date.now.bind(Date);
  let later = 0;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + later);
  await start();
  const connection = open();
  const sender = connection.open_sender("q");
  await once(sender, "sendable");
  later = LIMITS.idleSenderMs.value;
  try {
    await once(sender, "sender_error", { signal: AbortSignal.timeout(5000) });
    expect(sender.error).toMatchObject({ condition: "amqp:link:detach-forced" });
  } finally {
    clock.mockRestore();
    connection.close();
  }
});
