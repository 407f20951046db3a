// The limits of Azure Functions of which more passes here: what the table says that this host does instead.
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseInstances, rolesOf } from "./flex/groups.ts";
import { readHostJson } from "./host-json.ts";
import { HOST_NOT_KEPT as NOT_KEPT } from "./limits.ts";
import { type RunningHost, startHost } from "./start.ts";

const folder = mkdtempSync(join(tmpdir(), "host-other-"));
const appDir = join(import.meta.dirname, "fixtures/first-app");
let host: RunningHost;
beforeAll(async () => {
  host = await startHost({ appDir, port: 0, data: join(folder, "data") });
});
afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true });
});

const statusOf = async (path: string) => (await fetch(`${host.baseUrl}${path}`)).status;

test(NOT_KEPT.functionTimeout.what, () => {
  writeFileSync(join(folder, "host.json"), JSON.stringify({ version: "2.0", functionTimeout: "1.00:00:00" }));
  expect(readHostJson(folder, {}).functionTimeoutMs).toBe(86_400_000);
});

test(NOT_KEPT.query.what, async () => expect(await statusOf(`/api/items/special?${"x".repeat(4097)}`)).toBe(200));

/** What a function of the app has got of its instance. */
const used = async (what: string) => (await fetch(`${host.baseUrl}/api/uses/${what}`)).json() as Promise<number>;

test(NOT_KEPT.connections.what, async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  expect(await used(`connections?port=${port}&count=1201`)).toBe(1201);
  server.close();
});

test(NOT_KEPT.requests.what, async () => {
  const waiting = Array.from({ length: 301 }, () => statusOf("/api/waits"));
  await expect.poll(() => process.listenerCount("release")).toBe(301);
  process.emit("release" as never);
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([200]));
});

test(NOT_KEPT.memory.what, async () => {
  const bytes = 513 * 1024 * 1024;
  expect(await used(`memory?bytes=${bytes}`)).toBe(bytes);
});

test(NOT_KEPT.instances.what, () => {
  const names = Array.from({ length: 11 }, (_, n) => `queue${n}`);
  const functions = names.map((name) => ({ name, group: name, triggerType: "serviceBusTrigger", isDisabled: false }));
  const counts = parseInstances(names.map((name) => `${name}=99`).join(","));
  expect(rolesOf({ functions, usesDurable: false }, counts, "")).toHaveLength(11 * 99);
  expect(() => parseInstances("queue0=100")).toThrow("is wanted");
});

test(NOT_KEPT.files.what, async () => expect(await used("files")).toBe(4));
