// The host's triggers and bindings on Cosmos DB, against the local server, and its other ones.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Container, CosmosClient } from "@azure/cosmos";
import { type RunningCosmos, startCosmos } from "@scheduler-agent-supervisor/local/cosmos/start";
import { type RunningHost, startHost } from "@scheduler-agent-supervisor/local/host/start";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeTwilio, startFakeTwilio } from "../support/fake-twilio.ts";

const APP = join(import.meta.dirname, "../../packages/local/src/host/fixtures/bindings-app");
const folder = mkdtempSync(join(tmpdir(), "host-bindings-"));

interface Run {
  readonly name: string;
  readonly item?: unknown;
  readonly metadata?: Record<string, unknown>;
}
const bindingRuns: Run[] = [];
Object.assign(globalThis, { bindingRuns });
const runsOf = (name: string) => bindingRuns.filter((run) => run.name === name);

let twilio: FakeTwilio;
let cosmos: RunningCosmos;
let client: CosmosClient;
let host: RunningHost;
const start = (name: string, settings: Record<string, string> = {}) => {
  const texts = {
    TwilioAccountSid: "AC1",
    TwilioAuthToken: "secret",
    TwilioPhoneNumber: "+10",
    TwilioApiUrl: twilio.url,
  };
  const given = { CosmosDB: cosmos.connectionString, ...texts, Watched: "watched", ...settings };
  return startHost({ appDir: APP, port: 0, data: join(folder, name), settings: given });
};

beforeAll(async () => {
  const containers = ["watched", "handed-over"].map((id) => ({ id, partitionKey: { paths: ["/id"] } }));
  cosmos = await startCosmos({ port: 0, data: join(folder, "cosmos"), resources: { database: "shop", containers } });
  client = new CosmosClient(cosmos.connectionString);
  twilio = await startFakeTwilio();
  host = await start("host");
});
afterAll(async () => {
  await host.close();
  client.dispose();
  await Promise.all([cosmos.close(), twilio.close()]);
  rmSync(folder, { recursive: true });
});

const container = (id: string): Container => client.database("shop").container(id);
const changesSeen = () => runsOf("changes").flatMap(({ item }) => item as string[]);

test("a warm-up runs once when the host begins to serve", async () => {
  await expect.poll(() => runsOf("warm")).toHaveLength(1);
});

test("a function is handed the changes of a container, and its output makes some", async () => {
  bindingRuns.length = 0;
  const documents = [1, 2, 3].map((n) => ({ id: `d${n}`, n }));
  const response = await fetch(`${host.baseUrl}/api/save`, { method: "POST", body: JSON.stringify(documents) });
  expect(response.status).toBe(202);
  await expect.poll(() => changesSeen()).toEqual(["d1=1", "d2=2", "d3=3"]);
  expect(Math.max(...runsOf("changes").map(({ item }) => (item as string[]).length))).toBeLessThanOrEqual(2);
});

test("a page that fails is tried as often as the retry policy says, and then left behind", async () => {
  bindingRuns.length = 0;
  await container("watched").items.upsert({ id: "bad", n: 4, fails: true });
  await expect.poll(() => changesSeen()).toEqual(["bad=4", "bad=4"]);
  await container("watched").items.upsert({ id: "good", n: 5 });
  await expect.poll(() => changesSeen()).toEqual(["bad=4", "bad=4", "good=5"]);
});

test("from the beginning one host reads at a time, and the next one goes on where the last one stopped", async () => {
  bindingRuns.length = 0;
  const watched = { Watched: "handed-over" };
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
  bindingRuns.length = 0;
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
  expect((await post(events, "Notification", "functionName=changes&code=local")).status).toBe(404);
  expect((await post(events, "Notification", "functionName=events")).status).toBe(401);
});

test("a text message goes to Twilio, from the number of the binding; a rejection fails the invocation", async () => {
  const text = (value: unknown) => fetch(`${host.baseUrl}/api/text`, { method: "POST", body: JSON.stringify(value) });
  expect((await text({ to: "+49", body: "hello" })).status).toBe(202);
  const authorization = `Basic ${Buffer.from("AC1:secret").toString("base64")}`;
  expect(twilio.messages).toEqual([{ account: "AC1", authorization, To: "+49", From: "+10", Body: "hello" }]);
  expect((await text({ body: "to nobody" })).status).toBe(500);
});
