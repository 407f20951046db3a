// The host's storage queue triggers and outputs against Azurite.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningHost, startHost } from "../../local/host/start.ts";
import { StorageAccount } from "../../local/host/storage/storage-account.ts";
import { type MessageEncoding, StorageQueue } from "../../local/host/storage/storage-queue.ts";
import { type RunningAzurite, startAzurite } from "../../local/stack/azurite.ts";

const APP = join(import.meta.dirname, "../../local/host/fixtures/storage-app");
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
let host: RunningHost;
const start = (name: string, settings: Record<string, string> = {}) => {
  const given = { AzureWebJobsStorage: azurite.address.connectionString, WorkQueue: "work", ...settings };
  return startHost({ appDir: APP, port: 0, data: join(folder, name), settings: given });
};
const queue = (name: string, encoding: MessageEncoding = "base64") =>
  new StorageQueue(new StorageAccount(azurite.address.connectionString), name, encoding);

beforeAll(async () => {
  const ports = { azuriteBlob: 0, azuriteQueue: 0, azuriteTable: 0 };
  azurite = await startAzurite({ ports, data: undefined });
  host = await start("host");
});
afterAll(async () => {
  await host.close();
  await azurite.close();
  rmSync(folder, { recursive: true });
});

const send = (value: unknown) => fetch(`${host.baseUrl}/api/send`, { method: "POST", body: JSON.stringify(value) });

test("a warm-up runs once when the host begins to serve", async () => {
  await expect.poll(() => runsOf("warm")).toHaveLength(1);
});

test("outputs are sent, triggers see them with their metadata, and what a function returns goes on", async () => {
  storageRuns.length = 0;
  expect((await send({ order: 7, text: "<ü & ö>" })).status).toBe(202);
  await expect.poll(() => runsOf("done"), { timeout: 5000 }).toHaveLength(1);
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
  await expect.poll(() => runsOf("work"), { timeout: 5000 }).toHaveLength(4);
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
  await expect.poll(look, { timeout: 8000 }).toEqual([`{"fail":true}`]);
  expect(runsOf("work").map(({ metadata }) => metadata?.["dequeueCount"])).toEqual([1, 2]);
});

test("several run at once, and a host that stops hands back what it has not done with", async () => {
  storageRuns.length = 0;
  await send(Array.from({ length: 6 }, () => ({ pauseMs: 300 })));
  await expect.poll(() => runsOf("done"), { timeout: 8000 }).toHaveLength(6);
  expect(Math.max(...runsOf("work").map(({ running }) => running ?? 0))).toBeGreaterThan(1);
  storageRuns.length = 0;
  const other = await start("stops", { WorkQueue: "given-back" });
  await queue("given-back").send(`{"pauseMs":3000}`);
  await expect.poll(() => runsOf("work"), { timeout: 5000 }).toHaveLength(1);
  await other.close(100);
  const next = await start("goes on", { WorkQueue: "given-back" });
  await expect.poll(() => runsOf("work"), { timeout: 5000 }).toHaveLength(2);
  expect(runsOf("work")[1]?.metadata).toMatchObject({ dequeueCount: 2 });
  await next.close(5000);
}, 30_000);
