// The bus on a disk without a single byte free: whatever it cannot store ends the process with a clear error, and is not answered as done;
// the next start finds all as it was.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ServiceBusClient } from "@azure/service-bus";
import { expect, onTestFinished, test } from "vitest";
import { NO_SMALL_DISK, type SmallDisk, smallDisk } from "../../database/small-disk.ts";
import { receiveOne } from "./bus-under-test.ts";

/** Above the reserve of the servers, so that they take messages. */
const MEGABYTES = 40;

interface BusProcess {
  readonly client: ServiceBusClient;
  readonly said: string[];
  readonly ended: Promise<number | null>;
  kill(): Promise<void>;
}

async function run(disk: SmallDisk): Promise<BusProcess> {
  const queues = join(disk.folder, "queues.json");
  const entities = [
    { name: "q", properties: {} },
    { name: "sessions", properties: { requiresSession: true } },
  ];
  writeFileSync(queues, JSON.stringify({ queues: entities }));
  const ports = ["--bus-port", "0", "--bus-admin-port", "0"];
  const services = join(import.meta.dirname, "../../services.ts");
  const child = spawn(process.execPath, [services, "bus", ...ports, "--data", disk.folder, "--queues", queues]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const said: string[] = [];
  const ended = once(child, "close").then(() => child.exitCode);
  const address = await firstAddress(child, said);
  const client = new ServiceBusClient(address, {
    retryOptions: { maxRetries: 0, timeoutInMs: 3000, retryDelayInMs: 100 },
  });
  const kill = async () => {
    // Not awaited: a client waits for the answers that it will not get.
    void client.close().catch(() => undefined);
    child.kill("SIGKILL");
    await ended;
  };
  return { client, said, ended, kill };
}

function firstAddress(child: ChildProcess, said: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      createInterface(stream).on("line", (line) => {
        said.push(line);
        const [address] = /Endpoint=sb:\S+/.exec(line) ?? [];
        if (address) resolve(address);
      });
    }
    child.once("close", () => reject(new Error(said.join("\n"))));
  });
}

const later = () => new Date(Date.now() + 3_600_000);

/** Each begins with what is stored and held while there is room; the answer is the write that has none. */
const WRITES: Readonly<Record<string, (client: ServiceBusClient) => Promise<() => Promise<unknown>>>> = {
  complete: async (client) => {
    const [receiver, message] = await held(client);
    return () => receiver.completeMessage(message);
  },
  abandon: async (client) => {
    const [receiver, message] = await held(client);
    return () => receiver.abandonMessage(message, { note: 1 });
  },
  defer: async (client) => {
    const [receiver, message] = await held(client);
    return () => receiver.deferMessage(message);
  },
  "dead-letter": async (client) => {
    const [receiver, message] = await held(client);
    return () => receiver.deadLetterMessage(message, { deadLetterReason: "so", deadLetterErrorDescription: "so" });
  },
  "cancel what is scheduled": async (client) => {
    const sender = client.createSender("q");
    const numbers = await sender.scheduleMessages({ body: "planned" }, later());
    return () => sender.cancelScheduledMessages(numbers);
  },
  "set a session's state": async (client) => {
    await client.createSender("sessions").sendMessages({ body: 1, sessionId: "s" });
    const receiver = await client.acceptSession("sessions", "s");
    return () => receiver.setSessionState("state");
  },
  "receive and delete": async (client) => {
    const receiver = client.createReceiver("q", { receiveMode: "receiveAndDelete" });
    return async () => {
      const got = await receiver.receiveMessages(1, { maxWaitTimeInMs: 2000 });
      if (got.length === 0) throw new Error("nothing came");
    };
  },
};

async function held(client: ServiceBusClient) {
  const receiver = client.createReceiver("q");
  return [receiver, await receiveOne(receiver, 10_000)] as const;
}

for (const [name, begin] of Object.entries(WRITES)) {
  test(`${name}: not answered as done, the bus ends, and the message is there at the next start`, async ({ skip }) => {
    skip(NO_SMALL_DISK !== undefined, NO_SMALL_DISK);
    const disk = smallDisk(MEGABYTES);
    const bus = await run(disk);
    await bus.client.createSender("q").sendMessages({ body: "kept" });
    const write = await begin(bus.client);
    disk.fill();
    let isDone = false;
    void write().then(
      () => {
        isDone = true;
      },
      () => undefined,
    );
    expect(await bus.ended).toBe(1);
    expect(bus.said.join("\n")).toMatch(/disk is full.*What was acknowledged is kept/);
    expect(isDone).toBe(false);
    await bus.kill();
    disk.makeRoom();
    const next = await run(disk);
    const receiver = next.client.createReceiver("q");
    const { body, deliveryCount, applicationProperties = {} } = await receiveOne(receiver, 10_000);
    expect({ body, deliveryCount, applicationProperties }).toEqual({
      body: "kept",
      deliveryCount: 0,
      applicationProperties: {},
    });
    if (name.startsWith("cancel")) expect(await receiver.peekMessages(5)).toHaveLength(2);
    if (name.startsWith("set")) {
      const session = await next.client.acceptSession("sessions", "s");
      expect(await session.getSessionState()).toBeNull();
    }
    await next.kill();
  });
}

test("without room it does not start, and says why", async ({ skip }) => {
  skip(NO_SMALL_DISK !== undefined, NO_SMALL_DISK);
  const disk = smallDisk(MEGABYTES);
  await (await run(disk)).kill();
  disk.fill();
  await expect(run(disk)).rejects.toThrow(/disk is full|disk I\/O error|ENOSPC/);
});

test("a lock is renewed, and what is locked is completed once there is room", async ({ skip }) => {
  skip(NO_SMALL_DISK !== undefined, NO_SMALL_DISK);
  const disk = smallDisk(MEGABYTES);
  const bus = await run(disk);
  await bus.client.createSender("q").sendMessages({ body: "kept" });
  const [receiver, message] = await held(bus.client);
  disk.fill();
  // The room is looked at once a second.
  await new Promise((resolve) => setTimeout(resolve, 1100));
  expect((await receiver.renewMessageLock(message)).getTime()).toBeGreaterThan(Date.now());
  await expect(bus.client.createSender("q").sendMessages({ body: "more" })).rejects.toThrow(/disk/);
  disk.makeRoom();
  await receiver.completeMessage(message);
  await bus.kill();
});
