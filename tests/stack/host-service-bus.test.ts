// The host's Service Bus triggers and outputs over the unmodified SDK, against the local broker.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServiceBusClient, type ServiceBusMessage } from "@azure/service-bus";
import type { RunningBus } from "@scheduler-agent-supervisor/local/bus";
import { type RunningHost, startHost } from "@scheduler-agent-supervisor/local/host";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { messagesIn } from "../support/queue-contents.ts";

const APP = join(import.meta.dirname, "../../packages/local/src/host/fixtures/bus-app");
const folder = mkdtempSync(join(tmpdir(), "host-bus-"));
const queues = [
  "one",
  "binary",
  "many",
  "gathered",
  "by-session",
  "many-by-session",
  "sent",
  "forward",
  "long-lock",
].map((name) => ({
  name,
  properties: {
    lockDuration: ["long-lock", "gathered"].includes(name) ? "PT5M" : "PT5S",
    maxDeliveryCount: 3,
    requiresSession: name.endsWith("by-session"),
  },
}));

interface Run {
  readonly name: string;
  readonly message: unknown;
  readonly metadata: Record<string, unknown>;
  readonly trace: { readonly traceParent?: string } | undefined;
  readonly running: number;
}
const busRuns: Run[] = [];
Object.assign(globalThis, { busRuns });
const runsOf = (name: string) => busRuns.filter((run) => run.name === name);

/** The broker runs in its own process, so that it can be killed. */
interface Broker extends Pick<RunningBus, "port" | "connectionString"> {
  readonly process: ChildProcess;
}

const BROKER = `
  const { startBus } = await import(process.argv[1]);
  const bus = await startBus(JSON.parse(process.argv[2]));
  process.send({ port: bus.port, connectionString: bus.connectionString });
`;

async function startBroker(port: number): Promise<Broker> {
  const start = new URL("../../packages/local/src/bus/start.ts", import.meta.url).href;
  const options = JSON.stringify({ port, adminPort: 0, data: join(folder, "bus"), queues });
  const child = spawn(process.execPath, ["--input-type=module", "--eval", BROKER, start, options], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [started] = (await once(child, "message")) as [Pick<RunningBus, "port" | "connectionString">];
  return { ...started, process: child };
}

async function kill(broker: Broker): Promise<void> {
  const exited = once(broker.process, "exit");
  broker.process.kill("SIGKILL");
  await exited;
}

let bus: Broker;
let host: RunningHost;
let client: ServiceBusClient;

beforeAll(async () => {
  bus = await startBroker(0);
  client = new ServiceBusClient(bus.connectionString, { retryOptions: { retryDelayInMs: 300 } });
  const settings = { AzureWebJobsBus: bus.connectionString, OneQueue: "one", ManyQueue: "many" };
  host = await startHost({ appDir: APP, port: 0, data: join(folder, "host"), settings });
});
afterAll(async () => {
  await host.close();
  await client.close();
  await kill(bus);
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  busRuns.length = 0;
});

async function eventually(check: () => void | Promise<void>, withinMs = 8000): Promise<void> {
  for (const deadline = Date.now() + withinMs; ; ) {
    try {
      return await check();
    } catch (cause) {
      if (Date.now() > deadline) throw cause;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function send(queue: string, ...messages: ServiceBusMessage[]): Promise<void> {
  const sender = client.createSender(queue);
  await sender.sendMessages(messages);
  await sender.close();
}

const peek = (queue: string, subQueueType?: "deadLetter") =>
  messagesIn(client, queue, subQueueType ? { subQueueType } : {});

test("a message arrives with its metadata and is completed", async () => {
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  await send("one", {
    body: { order: 7 },
    messageId: "m-1",
    correlationId: "c-1",
    subject: "intake",
    replyTo: "shop",
    contentType: "application/json",
    applicationProperties: { CustomKey: "kept", at: new Date("2026-11-22T09:30:00.250Z"), traceparent },
  });
  await eventually(() => expect(runsOf("one")).toHaveLength(1));
  const [run] = runsOf("one");
  expect(run?.message).toEqual({ order: 7 });
  expect(run?.trace?.traceParent).toBe(traceparent);
  expect(run?.metadata).toMatchObject({
    messageId: "m-1",
    correlationId: "c-1",
    subject: "intake",
    label: "intake",
    replyTo: "shop",
    contentType: "application/json",
    deliveryCount: 1,
    applicationProperties: { customKey: "kept", at: "2026-11-22T09:30:00.25Z" },
    userProperties: { customKey: "kept" },
    expiresAtUtc: "9999-12-31T23:59:59.9999999Z",
    expiresAt: "9999-12-31T23:59:59.9999999Z",
    messageActions: {},
  });
  expect(run?.metadata["sequenceNumber"]).toEqual(expect.any(Number));
  expect(run?.metadata["lockToken"]).toMatch(/^[\da-f-]{36}$/);
  expect(Date.parse(String(run?.metadata["enqueuedTimeUtc"]))).toBeGreaterThan(Date.now() - 60_000);
  expect(run?.metadata).not.toHaveProperty("sessionId");
  await eventually(async () => expect(await peek("one")).toEqual([]));
});

test("the traps of the real extension are here too", async () => {
  const text = (body: string): ServiceBusMessage => ({ body: Buffer.from(body) });
  await send("one", { body: { MESSAGEID: "from the body", order: 1 }, messageId: "m-2" });
  await send("one", text("123"), text("true"), text(`"q"`), text("plain"), text("{not json"));
  await eventually(() => expect(runsOf("one")).toHaveLength(6));
  expect(runsOf("one").find(({ metadata }) => metadata["order"] === 1)?.metadata["messageId"]).toBe("from the body");
  const seen = runsOf("one").map(({ message }) => message);
  expect(seen).toEqual(expect.arrayContaining([123, true, "q", "plain", "{not json"]));

  await send("binary", { body: Buffer.from([0, 255, 1]) });
  await eventually(() => expect(runsOf("binary")[0]?.message).toEqual(Buffer.from([0, 255, 1])));
});

test("a throw abandons: the message comes again at once, and at last lies in the dead letters", async () => {
  await send("one", { body: { fail: true }, messageId: "poison" });
  await eventually(async () => expect(await peek("one", "deadLetter")).toHaveLength(1));
  expect(runsOf("one").map(({ metadata }) => metadata["deliveryCount"])).toEqual([1, 2, 3]);
});

test("no more messages than maxConcurrentCalls are in hand at once", async () => {
  await send("one", ...Array.from({ length: 12 }, () => ({ body: { pauseMs: 100 } })));
  await eventually(() => expect(runsOf("one")).toHaveLength(12));
  expect(Math.max(...runsOf("one").map(({ running }) => running))).toBe(4);
});

test("cardinality many gives batches, up to maxMessageBatchSize", async () => {
  await send("many", ...Array.from({ length: 12 }, (_, index) => ({ body: { index }, messageId: `b-${index}` })));
  await eventually(() => expect(runsOf("many").flatMap(({ message }) => message)).toHaveLength(12));
  expect(runsOf("many").length).toBeLessThan(12);
  for (const { message, metadata } of runsOf("many")) {
    const bodies = message as { index: number }[];
    expect(metadata["messageIdArray"]).toEqual(bodies.map(({ index }) => `b-${index}`));
  }
  await eventually(async () => expect(await peek("many")).toEqual([]));
});

test("a batch that runs longer than its messages are locked comes again", async () => {
  await send("many", { body: { ms: 6000 }, messageId: "long" });
  const seen = () => runsOf("many").map(({ metadata }) => metadata["messageIdArray"]);
  await eventually(() => expect(seen()).toEqual([["long"], ["long"]]), 30_000);
  await eventually(async () => expect(await peek("many")).toEqual([]));
});

test("a batch waits for minMessageBatchSize, but no longer than maxBatchWaitTime", async () => {
  const settings = {
    AzureWebJobsBus: bus.connectionString,
    OneQueue: "long-lock",
    ManyQueue: "gathered",
    AzureFunctionsJobHost__extensions__serviceBus__minMessageBatchSize: "3",
    AzureFunctionsJobHost__extensions__serviceBus__maxBatchWaitTime: "00:00:02",
  };
  const gathering = await startHost({ appDir: APP, port: 0, data: join(folder, "gathering"), settings });
  const message = (id: string): ServiceBusMessage => ({ body: {}, messageId: id });
  const seen = () => runsOf("many").map(({ metadata }) => metadata["messageIdArray"]);
  await send("gathered", message("1"));
  await send("gathered", message("2"), message("3"));
  await eventually(() => expect(seen()).toEqual([["1", "2", "3"]]));
  const sentAt = Date.now();
  await send("gathered", message("4"));
  await eventually(() => expect(seen()).toEqual([["1", "2", "3"], ["4"]]));
  expect(Date.now() - sentAt).toBeGreaterThan(1500);
  await eventually(async () => expect(await peek("gathered")).toEqual([]));

  // What waits when the host stops is not held up until its lock ends.
  await send("gathered", message("5"));
  await new Promise((resolve) => setTimeout(resolve, 500));
  await gathering.close();
  const next = await startHost({ appDir: APP, port: 0, data: join(folder, "next"), settings });
  await eventually(() => expect(seen()[2]).toEqual(["5"]));
  await next.close();
});

test("a batch is of one session, whose lock is not renewed", async () => {
  const message = (sessionId: string, ms = 0): ServiceBusMessage => ({ body: { ms }, sessionId });
  await send("many-by-session", message("a"), message("b"), message("a"), message("b"));
  const batches = () => runsOf("many-by-session").map(({ metadata }) => metadata["sessionIdArray"]);
  await eventually(() =>
    expect(batches()).toEqual([
      ["a", "a"],
      ["b", "b"],
    ]),
  );
  await eventually(async () => expect(await peek("many-by-session")).toEqual([]));
  busRuns.length = 0;
  await send("many-by-session", message("slow", 6000));
  await eventually(() => expect(batches()).toEqual([["slow"], ["slow"]]), 30_000);
  await eventually(async () => expect(await peek("many-by-session")).toEqual([]));
});

test("sessions are taken up, each in its order", async () => {
  const message = (sessionId: string, index: number): ServiceBusMessage => ({ body: { index }, sessionId });
  await send("by-session", message("a", 1), message("a", 2), message("b", 1), message("a", 3));
  await eventually(() => expect(runsOf("by-session")).toHaveLength(4));
  const ofA = runsOf("by-session").filter(({ metadata }) => metadata["sessionId"] === "a");
  expect(ofA.map(({ message: body }) => body)).toEqual([{ index: 1 }, { index: 2 }, { index: 3 }]);
});

test("outputs are sent before the invocation counts as done", async () => {
  const receiver = client.createReceiver("sent", { receiveMode: "receiveAndDelete" });
  const response = await fetch(`${host.baseUrl}/api/send`, { method: "POST", body: `[{"a": 1}, "text"]` });
  expect(response.status).toBe(202);
  const [object, text] = await receiver.receiveMessages(2, { maxWaitTimeInMs: 3000 });
  expect(object).toMatchObject({ body: { a: 1 }, contentType: "application/json" });
  expect(String(text?.body)).toBe("text");

  await send("forward", { body: { b: 2 } });
  const [forwarded] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 3000 });
  expect(forwarded?.body).toEqual({ forwarded: { b: 2 } });
  await receiver.close();
});

test("a function can be run manually with a message's text", async () => {
  const body = JSON.stringify({ input: `{"order": 9}` });
  const response = await fetch(`${host.baseUrl}/admin/functions/one`, { method: "POST", body });
  expect(response.status).toBe(202);
  await eventually(() => expect(runsOf("one")[0]?.message).toEqual({ order: 9 }));
});

test("locks are renewed while a function runs longer than they last", async () => {
  await send("one", { body: { pauseMs: 6500 }, messageId: "long" });
  await eventually(() => expect(runsOf("one")).toHaveLength(1));
  const longOnes = () =>
    runsOf("one-ended").filter(({ message }) => (message as { pauseMs?: number }).pauseMs === 6500);
  await eventually(() => expect(longOnes()).toHaveLength(1), 9000);
  await eventually(async () => expect(await peek("one")).toEqual([]));
  expect(runsOf("one")).toHaveLength(1);
});

test("a host that stops hands back the messages that it has not done with: the next one gets them at once", async () => {
  const settings = { AzureWebJobsBus: bus.connectionString, OneQueue: "long-lock", ManyQueue: "gathered" };
  const start = (name: string) => startHost({ appDir: APP, port: 0, data: join(folder, name), settings });
  const first = await start("stops");
  await send(
    "long-lock",
    { body: { pauseMs: 200 }, messageId: "ends" },
    { body: { pauseMs: 4000 }, messageId: "does not" },
  );
  await eventually(() => expect(runsOf("one")).toHaveLength(2));
  await first.close(500);
  const second = await start("goes on");
  await eventually(() => expect(runsOf("one")).toHaveLength(3));
  expect(runsOf("one")[2]?.metadata).toMatchObject({ messageId: "does not", deliveryCount: 2 });
  await eventually(async () => expect(await peek("long-lock")).toEqual([]));
  await second.close();
});

test("after the broker was killed and started again, messages flow again at once", async () => {
  const { port } = bus;
  await kill(bus);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  bus = await startBroker(port);
  const restartedAt = Date.now();
  await send("one", { body: { after: "restart" } });
  await eventually(() => expect(runsOf("one")).toHaveLength(1));
  expect(Date.now() - restartedAt).toBeLessThan(8000);
});
