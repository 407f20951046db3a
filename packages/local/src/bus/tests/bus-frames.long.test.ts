// A valid session with the bus, byte by byte made wrong, cut off and said twice: the bus lives, and serves another client after each.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ServiceBusClient, type ServiceBusSender } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wholeFrom } from "../../random.ts";
import { type Piece, record, replay } from "./recorded-session.ts";

const SEED = Number(process.env["FRAMES_SEED"] ?? Date.now() % 1_000_000);
/** Of so many positions each one is tried, from a first one that the seed chooses; 1: all, which takes minutes. */
const EVERY = Number(process.env["FRAMES_EVERY"] ?? 16);
const AT_ONCE = 8;
const published = `FRAMES_SEED=${SEED} makes the same bytes`;
const SHORT_LIVED = { defaultMessageTimeToLive: "PT5S" };
const ENTITIES = {
  queues: [
    { name: "fuzzed", properties: SHORT_LIVED },
    { name: "grouped", properties: { ...SHORT_LIVED, requiresSession: true } },
    { name: "healthy", properties: {} },
  ],
};
const MINUTE_MS = 60_000;

let child: ChildProcess;
let port: number;
let connectionString: string;
let healthy: ServiceBusClient;
let sender: ServiceBusSender;
const data = mkdtempSync(join(tmpdir(), "bus-frames-"));
const awaited = new Map<string, () => void>();
const seen: string[] = [];

beforeAll(async () => {
  const program = `
    import { startBus } from ${JSON.stringify(new URL("../start.ts", import.meta.url).href)};
    const { port, connectionString } = await startBus({ port: 0, adminPort: 0, data: ${JSON.stringify(data)}, ...${JSON.stringify(ENTITIES)} });
    console.log(port + " " + connectionString);`;
  const options = ["--input-type=module-typescript", "--eval", program];
  child = spawn(process.execPath, options, { stdio: ["ignore", "pipe", "inherit"] });
  if (!child.stdout) throw new Error("The child's output is not piped");
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  port = Number(line.split(" ")[0]);
  connectionString = line.slice(line.indexOf(" ") + 1);
  healthy = new ServiceBusClient(connectionString);
  sender = healthy.createSender("healthy");
  healthy.createReceiver("healthy").subscribe(
    {
      processMessage: async ({ messageId }) => {
        seen.push(String(messageId));
        awaited.get(String(messageId))?.();
      },
      processError: async () => {},
    },
    { maxConcurrentCalls: AT_ONCE },
  );
});
afterAll(async () => {
  await Promise.race([healthy?.close(), new Promise((resolve) => setTimeout(resolve, 2000))]);
  child?.kill("SIGKILL");
  rmSync(data, { recursive: true, force: true });
});

/** Connect, SASL, claims, send, receive, settle in each way, management, sessions. */
async function validSession(through: number): Promise<void> {
  const client = new ServiceBusClient(connectionString.replace(`:${port}`, `:${through}`));
  const [sending, receiving] = [client.createSender("fuzzed"), client.createReceiver("fuzzed")];
  const message = { body: { order: 1 }, subject: "s", applicationProperties: { number: 1, text: "t", flag: true } };
  await sending.sendMessages([{ ...message, messageId: "m-0" }, message, message, message]);
  await sending.sendMessages({ ...message, timeToLive: 4000, correlationId: "c" });
  const [first, second, third, fourth] = await receiving.receiveMessages(4, { maxWaitTimeInMs: 2000 });
  if (!first || !second || !third || !fourth) throw new Error("The messages of the valid session did not come");
  await receiving.completeMessage(first);
  await receiving.abandonMessage(second, { again: 1 });
  await receiving.deadLetterMessage(third, { deadLetterReason: "r", deadLetterErrorDescription: "d" });
  await receiving.renewMessageLock(fourth);
  await receiving.deferMessage(fourth);
  if (!fourth.sequenceNumber) throw new Error("A received message has a sequence number");
  const [deferred] = await receiving.receiveDeferredMessages(fourth.sequenceNumber);
  if (deferred) await receiving.completeMessage(deferred);
  await receiving.peekMessages(2);
  await sending.cancelScheduledMessages(await sending.scheduleMessages(message, new Date(Date.now() + MINUTE_MS)));
  await client.createSender("grouped").sendMessages({ ...message, sessionId: "g" });
  const session = await client.acceptSession("grouped", "g");
  await session.setSessionState({ step: 1 });
  await session.getSessionState();
  await session.renewSessionLock();
  await session.close();
  await client.close();
}

async function serves(what: string, id: string): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null)
    throw new Error(`the bus died at or before ${what}; ${published}`);
  const arrived = new Promise<void>((resolve) => awaited.set(id, resolve));
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(
      () => reject(new Error(`the bus does not serve another client after ${what}; ${published}`)),
      10_000,
    ).unref();
  });
  await Promise.race([Promise.all([sender.sendMessages({ body: id, messageId: id }), arrived]), late]);
  awaited.delete(id);
}

interface Variant {
  readonly what: string;
  readonly pieces: readonly Piece[];
}

async function tryAll(kind: string, variants: readonly Variant[]): Promise<void> {
  let next = 0;
  const before = seen.length;
  const work = async () => {
    for (let index = next++; index < variants.length; index = next++) {
      const { what, pieces } = variants[index] as Variant;
      await replay(port, pieces);
      await serves(what, `${kind}-${index}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(new Set(seen.slice(before)).size, published).toBe(variants.length);
  expect(seen.length - before, `each message came once; ${published}`).toBe(variants.length);
}

let recorded: readonly Piece[];
let length: number;
beforeAll(async () => {
  recorded = await record(port, validSession);
  length = recorded.reduce((sum, { bytes }) => sum + bytes.length, 0);
  console.log(`${length} bytes in ${recorded.length} pieces; ${published}`);
  expect(length).toBeGreaterThan(500);
});

/** The session with the byte at `position` changed by `change`, which may cut, insert or replace. */
function changedAt(position: number, change: (bytes: Buffer, at: number) => Buffer): Piece[] {
  let start = 0;
  return recorded.map(({ bytes, after }) => {
    const at = position - start;
    start += bytes.length;
    return { after, bytes: at >= 0 && at < bytes.length ? change(bytes, at) : bytes };
  });
}

function cutAt(position: number): Piece[] {
  let start = 0;
  return recorded.flatMap(({ bytes, after }) => {
    const kept = bytes.subarray(0, Math.max(0, position - start));
    start += bytes.length;
    return kept.length > 0 ? [{ after, bytes: kept }] : [];
  });
}

/** What `make` makes of each position, or each so many. */
function eachPosition(
  step: number,
  make: (position: number) => { readonly what: string; readonly pieces: Piece[] },
): Variant[] {
  return Array.from({ length: Math.floor(length / step) }, (_, index) => make(index * step + (SEED % step)));
}

test("the session itself, said again", () => tryAll("same", [{ what: "the session", pieces: recorded }]));

test("each byte made another", { timeout: 30 * MINUTE_MS }, async () => {
  const random = wholeFrom(SEED);
  const variants = eachPosition(EVERY, (position) => {
    const by = 1 + random(255);
    const pieces = changedAt(position, (bytes, at) => {
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ by;
      return copy;
    });
    return { what: `byte ${position} changed by ${by}`, pieces };
  });
  await tryAll("byte", variants);
});

test("cut off at each third byte", { timeout: 30 * MINUTE_MS }, async () => {
  const variants = eachPosition(EVERY * 3, (position) => ({
    what: `cut at ${position}`,
    pieces: cutAt(position),
  }));
  await tryAll("cut", variants);
});

test("parts said twice or left out", { timeout: 30 * MINUTE_MS }, async () => {
  const random = wholeFrom(SEED + 1);
  const variants = eachPosition(EVERY * 10, (position) => {
    const count = 1 + random(200);
    const isTwice = random(2) === 0;
    const pieces = changedAt(position, (bytes, at) =>
      isTwice
        ? Buffer.concat([bytes.subarray(0, at + count), bytes.subarray(at)])
        : Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + count)]),
    );
    return { what: `${count} bytes at ${position} ${isTwice ? "twice" : "left out"}`, pieces };
  });
  const doubled = recorded.map((_, index) => ({
    what: `piece ${index} twice`,
    pieces: recorded.flatMap((piece, at) => (at === index ? [piece, piece] : [piece])),
  }));
  await tryAll("part", [...variants, ...doubled]);
});
