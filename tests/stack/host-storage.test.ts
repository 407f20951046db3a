// The host's triggers and outputs on storage queues, against Azurite, and on Cosmos DB's change feed, against the local server.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Container, CosmosClient } from "@azure/cosmos";
import { BlobServiceClient } from "@azure/storage-blob";
import { type RunningCosmos, startCosmos } from "@scheduler-agent-supervisor/local/cosmos/start";
import { type RunningHost, startHost } from "@scheduler-agent-supervisor/local/host/start";
import { StorageAccount } from "@scheduler-agent-supervisor/local/host/storage/storage-account";
import { type MessageEncoding, StorageQueue } from "@scheduler-agent-supervisor/local/host/storage/storage-queue";
import { type RunningAzurite, startAzurite } from "@scheduler-agent-supervisor/local/stack/azurite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeTwilio, startFakeTwilio } from "../support/fake-twilio.ts";

const APP = join(import.meta.dirname, "../../packages/local/src/host/fixtures/storage-app");
const folder = mkdtempSync(join(tmpdir(), "host-storage-"));

interface Run {
  readonly name: string;
  readonly item?: unknown;
  readonly metadata?: Record<string, unknown>;
  readonly running?: number;
}
const storageRuns: Run[] = [];
Object.assign(globalThis, { storageRuns });
const runsOf = (name: string) => storageRuns.filter((run) => run.name === name);

let azurite: RunningAzurite;
let twilio: FakeTwilio;
let cosmos: RunningCosmos;
let client: CosmosClient;
let host: RunningHost;
const start = (name: string, settings: Record<string, string> = {}) => {
  const connections = { AzureWebJobsStorage: azurite.address.connectionString, CosmosDB: cosmos.connectionString };
  const texts = {
    TwilioAccountSid: "AC1",
    TwilioAuthToken: "secret",
    TwilioPhoneNumber: "+10",
    TwilioApiUrl: twilio.url,
  };
  const given = { ...connections, ...texts, WorkQueue: "work", Watched: "watched", ...settings };
  return startHost({ appDir: APP, port: 0, data: join(folder, name), settings: given });
};
const queue = (name: string, encoding: MessageEncoding = "base64") =>
  new StorageQueue(new StorageAccount(azurite.address.connectionString), name, encoding);

beforeAll(async () => {
  const ports = { azuriteBlob: 0, azuriteQueue: 0, azuriteTable: 0 };
  azurite = await startAzurite({ ports, data: undefined });
  const containers = ["watched", "handed-over"].map((id) => ({ id, partitionKey: { paths: ["/id"] } }));
  cosmos = await startCosmos({ port: 0, data: join(folder, "cosmos"), resources: { database: "shop", containers } });
  client = new CosmosClient(cosmos.connectionString);
  twilio = await startFakeTwilio();
  host = await start("host");
});
afterAll(async () => {
  await host.close();
  client.dispose();
  await Promise.all([azurite.close(), cosmos.close(), twilio.close()]);
  rmSync(folder, { recursive: true });
});

const container = (id: string): Container => client.database("shop").container(id);
const changesSeen = () => runsOf("changes").flatMap(({ item }) => item as string[]);
const send = (value: unknown) => fetch(`${host.baseUrl}/api/send`, { method: "POST", body: JSON.stringify(value) });

test("a warm-up runs once when the host begins to serve", async () => {
  await expect.poll(() => runsOf("warm")).toHaveLength(1);
});

test("outputs are sent, triggers see them with their metadata, and what a function returns goes on", async () => {
  storageRuns.length = 0;
  expect((await send({ order: 7, text: "<ü & ö>" })).status).toBe(202);
  await expect.poll(() => runsOf("done")).toHaveLength(1);
  const [work] = runsOf("work");
  expect(work?.item).toEqual({ order: 7, text: "<ü & ö>" });
  expect(work?.metadata).toMatchObject({ order: 7, dequeueCount: 1, queueTrigger: `{"order":7,"text":"<ü & ö>"}` });
  expect(work?.metadata?.["id"]).toMatch(/^[\da-f-]{36}$/);
  expect(Date.parse(String(work?.metadata?.["insertionTime"]))).toBeGreaterThan(Date.now() - 60_000);
  expect(runsOf("done")[0]?.item).toEqual({ done: { order: 7, text: "<ü & ö>" } });
});

test("an array is several messages; texts arrive as what they are, also those that nobody encoded", async () => {
  storageRuns.length = 0;
  await send(["a text", 5, { n: 1 }]);
  await queue("work", "none").send("not encoded!");
  await expect.poll(() => runsOf("work")).toHaveLength(4);
  expect(runsOf("work").map(({ item }) => item)).toEqual(
    expect.arrayContaining(["a text", 5, { n: 1 }, "not encoded!"]),
  );
});

test("a message that fails comes again, and after the last time goes to the poison queue", async () => {
  storageRuns.length = 0;
  await send({ fail: true });
  const poison = queue("work-poison");
  let found: string[] = [];
  const look = async () => {
    found = found.concat((await poison.receive(1, 60_000)).map(({ text }) => text));
    return found;
  };
  await expect.poll(look).toEqual([`{"fail":true}`]);
  expect(runsOf("work").map(({ metadata }) => metadata?.["dequeueCount"])).toEqual([1, 2]);
});

test("several run at once, and a host that stops hands back what it has not done with", async () => {
  storageRuns.length = 0;
  await send(Array.from({ length: 6 }, () => ({ pauseMs: 300 })));
  const pausing = () => runsOf("done").filter(({ item }) => JSON.stringify(item).includes("pauseMs"));
  await expect.poll(pausing).toHaveLength(6);
  expect(Math.max(...runsOf("work").map(({ running }) => running ?? 0))).toBeGreaterThan(1);
  storageRuns.length = 0;
  const other = await start("stops", { WorkQueue: "given-back" });
  await queue("given-back").send(`{"pauseMs":3000}`);
  await expect.poll(() => runsOf("work")).toHaveLength(1);
  await other.close(100);
  const next = await start("goes on", { WorkQueue: "given-back" });
  await expect.poll(() => runsOf("work")).toHaveLength(2);
  expect(runsOf("work")[1]?.metadata).toMatchObject({ dequeueCount: 2 });
  await next.close(5000);
});

test("a function is handed the changes of a container, and its output makes some", async () => {
  storageRuns.length = 0;
  const documents = [1, 2, 3].map((n) => ({ id: `d${n}`, n }));
  const response = await fetch(`${host.baseUrl}/api/save`, { method: "POST", body: JSON.stringify(documents) });
  expect(response.status).toBe(202);
  await expect.poll(() => changesSeen()).toEqual(["d1=1", "d2=2", "d3=3"]);
  expect(Math.max(...runsOf("changes").map(({ item }) => (item as string[]).length))).toBeLessThanOrEqual(2);
});

test("a page that fails is tried as often as the retry policy says, and then left behind", async () => {
  storageRuns.length = 0;
  await container("watched").items.upsert({ id: "bad", n: 4, fails: true });
  await expect.poll(() => changesSeen()).toEqual(["bad=4", "bad=4"]);
  await container("watched").items.upsert({ id: "good", n: 5 });
  await expect.poll(() => changesSeen()).toEqual(["bad=4", "bad=4", "good=5"]);
});

test("from the beginning one host reads at a time, and the next one goes on where the last one stopped", async () => {
  storageRuns.length = 0;
  const watched = { Watched: "handed-over", WorkQueue: "unused" };
  await container("handed-over").items.create({ id: "a", n: 1 });
  const hosts = await Promise.all([start("one", watched), start("other", watched)]);
  await expect.poll(() => changesSeen()).toEqual(["a=1"]);
  await hosts[0].close(1000);
  await container("handed-over").items.create({ id: "b", n: 2 });
  await expect.poll(() => changesSeen()).toEqual(["a=1", "b=2"]);
  await hosts[1].close(1000);
});

test("a function is given the document that its request names, and those that a query finds", async () => {
  const look = async (path: string) => (await fetch(`${host.baseUrl}/api/look/${path}`)).json();
  for (const id of ["a 1", "a2"]) await container("watched").items.upsert({ id, kind: "it's", n: 1 });
  const found = (await look(`${encodeURIComponent("it's")}/a%201`)) as { one: object; more: string[] };
  const { one, more } = found;
  // The binding names no partition key, and the document has one.
  expect(found).not.toHaveProperty("keyless");
  expect(one).toMatchObject({ id: "a 1", n: 1 });
  expect(more.sort()).toEqual(["a 1", "a2"]);
  expect(await look("other/none")).toEqual({ more: [] });
});

test("Event Grid's webhook confirms a subscription, and each event is an invocation", async () => {
  storageRuns.length = 0;
  const post = (body: unknown, type?: string, query = "functionName=events&code=local") =>
    fetch(`${host.baseUrl}/runtime/webhooks/EventGrid?${query}`, {
      method: "POST",
      headers: { ...(type && { "aeg-event-type": type }) },
      body: JSON.stringify(body),
    });
  const validation = await post([{ data: { validationCode: "512d38b6" } }], "SubscriptionValidation");
  expect(await validation.json()).toEqual({ validationResponse: "512d38b6" });
  const events = [1, 2].map((n) => ({ id: `${n}`, subject: "good", eventType: "made", data: { n } }));
  expect((await post(events, "Notification")).status).toBe(202);
  expect(runsOf("events").map(({ item }) => item)).toEqual(events);
  expect(runsOf("events")[1]?.metadata).toEqual({ data: { n: 2 } });
  const cloudEvent = { specversion: "1.0", id: "3", source: "test", type: "made", subject: "good" };
  expect((await post(cloudEvent)).status).toBe(202);
  expect((await post([{ ...events[0], subject: "bad" }])).status).toBe(500);
  expect((await post("text")).status).toBe(400);
  expect((await post(events, "Notification", "functionName=work&code=local")).status).toBe(404);
  expect((await post(events, "Notification", "functionName=events")).status).toBe(401);
});

test("what goes out becomes a blob, whose path is made of what the invocation has", async () => {
  const kept = BlobServiceClient.fromConnectionString(azurite.address.connectionString).getContainerClient("kept");
  const read = async (name: string) => (await kept.getBlobClient(name).downloadToBuffer()).toString();
  const response = await fetch(`${host.baseUrl}/api/keep/letters/first`, { method: "POST", body: "Dear \u00e4" });
  expect(response.status).toBe(202);
  expect(await read("letters/first.txt")).toBe("Dear \u00e4");
  await queue("copy").send(JSON.stringify({ place: { folder: "copies" }, NAME: "second", text: "a copy" }));
  await expect.poll(() => read("copies/second").catch(() => "")).toBe("a copy");
  await queue("copy").send(JSON.stringify({ place: {}, name: "nowhere", text: "lost" }));
  const poison = queue("copy-poison");
  await expect.poll(async () => (await poison.receive(1, 60_000)).length).toBe(1);
});

test("a function is given the blob that its request names, as text or as bytes, or nothing", async () => {
  await fetch(`${host.baseUrl}/api/keep/notes/one`, { method: "POST", body: "Gr\u00fc\u00dfe" });
  const show = async (path: string) => (await fetch(`${host.baseUrl}/api/show/${path}`)).json();
  const { text, bytes } = (await show("notes/one")) as { text: string; bytes: { data: number[] } };
  expect(text).toBe("Gr\u00fc\u00dfe");
  expect(Buffer.from(bytes.data).toString()).toBe("Gr\u00fc\u00dfe");
  expect(await show("notes/none")).toEqual({});
});

test("a new blob and each new version of it is an invocation, with the parts of its name", async () => {
  storageRuns.length = 0;
  const service = BlobServiceClient.fromConnectionString(azurite.address.connectionString);
  const files = service.getContainerClient("incoming");
  await files.createIfNotExists();
  const put = (name: string, text: string, metadata = {}) =>
    files.getBlockBlobClient(name).upload(text, Buffer.byteLength(text), { metadata });
  await put("a/one.txt", "first", { source: "test" });
  await put("elsewhere.txt", "no folder");
  await expect.poll(() => runsOf("files")).toHaveLength(1);
  const [first] = runsOf("files");
  expect(first).toMatchObject({ item: "first", metadata: { folder: "a", base: "one", kind: "txt" } });
  expect(first?.metadata).toMatchObject({ blobTrigger: "incoming/a/one.txt", metadata: { source: "test" } });
  expect(String(first?.metadata?.["uri"])).toMatch(/\/incoming\/a\/one\.txt$/);
  const copy = service.getContainerClient("copies").getBlobClient("one.copy");
  await expect.poll(() => copy.exists()).toBe(true);

  await put("a/one.txt", "second");
  await expect.poll(() => runsOf("files").map(({ item }) => item)).toEqual(["first", "second"]);
  // Another host finds the receipts, and nothing new.
  const other = await start("other-host");
  await put("a/bad.bad", "never");
  await expect.poll(() => queue("webjobs-blobtrigger-poison").receive(1, 1000)).toHaveLength(1);
  await other.close();
  expect(runsOf("files").map(({ item }) => item)).toEqual(["first", "second", "never", "never"]);
});

test("what goes out becomes entities of a table, and a function is given one, or those of a filter", async () => {
  const enter = (team: string, body: unknown) =>
    fetch(`${host.baseUrl}/api/enter/${team}`, { method: "POST", body: JSON.stringify(body) });
  const find = async (path: string) => (await (await fetch(`${host.baseUrl}/api/find/${path}`)).json()) as object;
  expect(await find("red/ann")).toEqual({ team: [], older: [] });
  const ann = { RowKey: "ann", age: 41, large: 2 ** 40, half: 0.5, member: true, address: { city: "Ulm" } };
  expect((await enter("red", [ann, { RowKey: "o'neil", age: 7 }])).status).toBe(202);
  expect((await enter("green", { PartitionKey: "blue", RowKey: "bea", age: 50 })).status).toBe(202);
  const stored = { PartitionKey: "red", ...ann, large: String(2 ** 40), address: '{"city":"Ulm"}' };
  expect(await find("red/ann")).toMatchObject({ row: stored, team: [stored, { RowKey: "o'neil" }], older: [{}] });
  expect(await find("red/o'neil")).toMatchObject({ row: { age: 7 } });
  expect(await find("green/bea")).toMatchObject({ team: [] });
  // Entities are only made, not changed.
  expect((await enter("red", ann)).status).toBe(500);
  expect((await enter("red", { age: 1 })).status).toBe(500);
});

test("a text message goes to Twilio, from the number of the binding; a rejection fails the invocation", async () => {
  const text = (value: unknown) => fetch(`${host.baseUrl}/api/text`, { method: "POST", body: JSON.stringify(value) });
  expect((await text({ to: "+49", body: "hello" })).status).toBe(202);
  const authorization = `Basic ${Buffer.from("AC1:secret").toString("base64")}`;
  expect(twilio.messages).toEqual([{ account: "AC1", authorization, To: "+49", From: "+10", Body: "hello" }]);
  expect((await text({ body: "to nobody" })).status).toBe(500);
});
