// What Azure Functions allows at most, what it refuses at the start, and its keys: each is kept, and refused beyond it.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { bundleWarnings, hubNameFault, timerWarnings } from "./app/azure-checks.ts";
import { checkNames } from "./app/function-names.ts";
import type { RegisteredFunction } from "./contract.ts";
import type { Topology } from "./flex/groups.ts";
import { readHostJson } from "./host-json.ts";
import { HOST_LIMITS as LIMITS } from "./limits.ts";
import { HOST_REJECTIONS as REJECTIONS } from "./rejections.ts";
import type { Settings } from "./settings.ts";
import { type RunningHost, startHost } from "./start.ts";

const folder = mkdtempSync(join(tmpdir(), "host-limits-"));
const appDir = join(import.meta.dirname, "fixtures/first-app");
let host: RunningHost;
let keyed: RunningHost;
beforeAll(async () => {
  host = await startHost({ appDir, port: 0, data: join(folder, "one") });
  const other = join(import.meta.dirname, "fixtures/keys-app");
  keyed = await startHost({ appDir: other, port: 0, data: join(folder, "two"), keys: true });
});
afterAll(async () => {
  await keyed.close();
  await host.close();
  rmSync(folder, { recursive: true });
});

/** The status that the request as it is written gets. */
async function statusOf(...lines: readonly string[]): Promise<number> {
  const socket = connect(host.port, "127.0.0.1");
  // Not half closed: Node ends its own half then, with or without an answer.
  socket.write(`${lines.join("\r\n")}\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
  return Number((await text(socket)).split(" ")[1]);
}
/** Of the headers that each request has, with the ends of their lines. */
const OWN = "host: localhost".length + "connection: close".length + 4;

test(LIMITS.functionName.what, () => {
  const { value } = LIMITS.functionName;
  expect(() => checkNames(["x".repeat(value)])).not.toThrow();
  expect(() => checkNames(["x".repeat(value + 1)])).toThrow("Azure refuses");
});

const hub = (name: string) => hubNameFault(name, { storageType: "azureStorage" });

test(LIMITS.hubName.what, () => {
  const { value } = LIMITS.hubName;
  expect(hub("h".repeat(value))).toBeUndefined();
  expect(hub("h".repeat(value + 1))).toContain("letters and digits");
  for (const name of ["my-hub", "1hub", "hüb", ""]) expect(hub(name), name).toContain(`"${name}"`);
  expect(hubNameFault("my-hub", { storageType: "azureManaged" })).toBeUndefined();
});

test(LIMITS.leastHubName.what, () => {
  const { value } = LIMITS.leastHubName;
  expect(hub("h".repeat(value))).toBeUndefined();
  expect(hub("h".repeat(value - 1))).toContain("letters and digits");
});

test("an app whose hub Azure refuses does not start, and the fault names it", async () => {
  const app = join(import.meta.dirname, "fixtures/durable-app");
  const start = (Hub: string) => startHost({ appDir: app, port: 0, data: join(folder, "hub"), settings: { Hub } });
  await expect(start("my-hub")).rejects.toThrow(/"my-hub"/);
  await (await start("myHub")).close();
});

const of = (name: string, type: string, schedule?: string): RegisteredFunction => {
  const trigger = { type, direction: "in", schedule } as const;
  return { name, trigger, triggerName: "in", bindings: { in: trigger } };
};

test("functions whose bindings come with an extension bundle are named where host.json has none", () => {
  const functions = [of("a", "serviceBusTrigger"), of("b", "httpTrigger"), of("c", "orchestrationTrigger")];
  expect(bundleWarnings(functions, { hasBundle: false })).toEqual([
    'Refused in Azure: host.json has no "extensionBundle", which has the bindings of these functions: a, c',
  ]);
  expect(bundleWarnings(functions, { hasBundle: true })).toEqual([]);
  expect(bundleWarnings([of("b", "httpTrigger"), of("t", "timerTrigger")], { hasBundle: false })).toEqual([]);
  const root = join(import.meta.dirname, "../../../..");
  expect(readHostJson(root, {}).hasBundle).toBe(true);
});

test("timers that the plan Flex Consumption runs at other times are named", () => {
  const functions = [
    of("nightly", "timerTrigger", "0 0 2 * * *"),
    of("often", "timerTrigger", "00:05:00"),
    of("b", "httpTrigger"),
  ];
  const [zone, span] = timerWarnings(functions, { WEBSITE_TIME_ZONE: "Europe/Berlin" });
  expect(zone).toMatch(/WEBSITE_TIME_ZONE .* run in UTC: nightly, often$/);
  expect(span).toMatch(/refuses time spans, .*: often$/);
  expect(timerWarnings(functions.slice(0, 1), {})).toEqual([]);
  expect(timerWarnings(functions.slice(2), { WEBSITE_TIME_ZONE: "Europe/Berlin" })).toEqual([]);
});

/** A host of timers in the topology. */
const startTimers = (topology: Topology, settings: Settings) =>
  startHost({
    appDir: join(import.meta.dirname, "fixtures/timer-app"),
    port: 0,
    data: mkdtempSync(join(folder, topology)),
    topology,
    settings,
  });

test(REJECTIONS.timeSpan.what, async () => {
  const settings = { EverySecond: "00:00:05" };
  await expect(startTimers("flex", settings)).rejects.toThrow(/"each-second".*"00:00:05" is no NCRONTAB/);
  await (await startTimers("single", settings)).close();
});

test(REJECTIONS.timeZone.what, async () => {
  interface Run {
    readonly name: string;
    readonly timer: { readonly scheduleStatus: { readonly next: string } };
  }
  const runs: Run[] = [];
  Object.assign(globalThis, { timerRuns: runs });
  /** Of a timer at three o'clock. */
  const nextHour = async (topology: Topology) => {
    runs.length = 0;
    const timers = await startTimers(topology, { WEBSITE_TIME_ZONE: "Asia/Tokyo" });
    await fetch(`${timers.baseUrl}/admin/functions/monitored`, { method: "POST", body: "{}" });
    await expect.poll(() => runs.some(({ name }) => name === "monitored")).toBe(true);
    await timers.close();
    const status = runs.find(({ name }) => name === "monitored")?.timer.scheduleStatus;
    return new Date(status?.next ?? "").getUTCHours();
  };
  expect([await nextHour("flex"), await nextHour("single")]).toEqual([3, 18]);
});

test(LIMITS.requestBytes.what, async () => {
  const { value } = LIMITS.requestBytes;
  const post = (length: number) => statusOf("POST /api/bytes HTTP/1.1", `content-length: ${length}`);
  expect(await post(value + 1)).toBe(413);
  // Of the body nothing comes: the host has taken the request.
  expect(await Promise.race([post(value), new Promise((done) => setTimeout(() => done("waits"), 300))])).not.toBe(413);
});

describe("a body that is too long", () => {
  const sent = (body: Buffer | ReadableStream) =>
    fetch(`${host.baseUrl}/api/bytes`, { method: "POST", body, duplex: "half" } as RequestInit);

  test("its client gets the answer when it has sent all", async () => {
    expect((await sent(Buffer.alloc(LIMITS.requestBytes.value + 1))).status).toBe(413);
  });

  test("the same where its length is not told, and for what the host itself takes", async () => {
    vi.stubEnv("FUNCTIONS_REQUEST_BODY_SIZE_LIMIT", "100000");
    const body = new Blob([Buffer.alloc(5_000_000)]);
    expect((await sent(body.stream())).status).toBe(413);
    const byHand = { method: "POST", body: JSON.stringify({ input: "x".repeat(200_000) }) };
    expect((await fetch(`${host.baseUrl}/admin/functions/echo`, byHand)).status).toBe(413);
    vi.unstubAllEnvs();
  });

  test("its client gets the answer while it still sends", async () => {
    const socket = connect(host.port, "127.0.0.1");
    socket.write(
      `POST /api/bytes HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${LIMITS.requestBytes.value + 1}\r\n\r\n`,
    );
    socket.write(Buffer.alloc(100_000));
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 413 .*content-length: 0\r\n/is);
    // The rest is taken and dropped.
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject).write(Buffer.alloc(30_000_000), (cause) => (cause ? reject(cause) : resolve()));
    });
    socket.destroy();
  });
});

test(LIMITS.requestLineBytes.what, async () => {
  const line = (length: number) => `GET /api/items/special?${"x".repeat(length - 34)} HTTP/1.1`;
  const { value } = LIMITS.requestLineBytes;
  expect(await statusOf(line(value))).toBe(200);
  expect(await statusOf(line(value + 1))).toBe(414);
  expect(await statusOf(line(60_000))).toBe(414);
});

test(REJECTIONS.answerHeader.what, async () => {
  const answer = async (text: string) => {
    const response = await fetch(`${host.baseUrl}/api/header?hex=${Buffer.from(text).toString("hex")}`);
    return [response.status, response.headers.get("x-given"), await response.text()];
  };
  expect(await answer("plain ~!")).toEqual([200, "plain ~!", "b"]);
  expect(await answer("é")).toEqual([500, null, ""]);
});

test(LIMITS.headersBytes.what, async () => {
  const headers = (bytes: number) => `x: ${"y".repeat(bytes - OWN - 5)}`;
  const { value } = LIMITS.headersBytes;
  expect(await statusOf("GET /api/items/special HTTP/1.1", headers(value))).toBe(200);
  expect(await statusOf("GET /api/items/special HTTP/1.1", headers(value + 1))).toBe(431);
});

test(LIMITS.headers.what, async () => {
  const headers = (count: number) => Array.from({ length: count - 2 }, (_, n) => `x-${n}: y`);
  const { value } = LIMITS.headers;
  expect(await statusOf("GET /api/items/special HTTP/1.1", ...headers(value))).toBe(200);
  expect(await statusOf("GET /api/items/special HTTP/1.1", ...headers(value + 1))).toBe(431);
});

test(LIMITS.answerMs.what, async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const statusAfter = async (ms: number) => {
    const answered = statusOf("GET /api/waits HTTP/1.1");
    await expect.poll(() => process.listenerCount("release"), { interval: 0 }).toBe(1);
    vi.advanceTimersByTime(ms);
    process.emit("release" as never);
    return answered;
  };
  try {
    const { value } = LIMITS.answerMs;
    expect(await statusAfter(value - 1)).toBe(200);
    expect(await statusAfter(value)).toBe(504);
    expect(await statusOf("GET /api/items/special HTTP/1.1")).toBe(200);
  } finally {
    vi.useRealTimers();
  }
});

test("a null character in a path is a 400, and in a query it is not", async () => {
  expect(await statusOf("GET /api/files/a%00b HTTP/1.1")).toBe(400);
  expect(await statusOf("GET /api/files/a?b=%00 HTTP/1.1")).toBe(200);
});

describe("with keys", () => {
  const get = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(`${keyed.baseUrl}${path}`, { headers })).status;

  test.each([
    ["open", "/api/open", 200, 200, 200],
    ["of the level function", "/api/guarded", 401, 200, 200],
    ["of the level admin", "/api/masters", 401, 401, 200],
    ["the host's own", "/admin/functions", 401, 401, 200],
  ])("a function that is %s", async (_, path, without, withKey, withMaster) => {
    expect(await get(path)).toBe(without);
    expect(await get(`${path}?code=wrong`)).toBe(without);
    expect(await get(`${path}?code=local`)).toBe(withKey);
    expect(await get(path, { "x-functions-key": "local" })).toBe(withKey);
    expect(await get(path, { "x-functions-key": "local-master" })).toBe(withMaster);
    // The header goes before the query, whose names have no case.
    expect(await get(`${path}?code=local-master`, { "x-functions-key": "wrong" })).toBe(without);
    expect(await get(`${path}?Code=wrong`, { "x-functions-key": "local-master" })).toBe(withMaster);
    expect(await get(`${path}?CODE=local`)).toBe(withKey);
  });

  test("the name of a function that cannot be decoded is that of no function", async () => {
    expect(await get("/admin/functions/%ZZ", { "x-functions-key": "local-master" })).toBe(404);
  });

  test("the state of the host is open to who started it", async () => {
    expect([await get("/admin/host/status"), await get("/admin/counts")]).toEqual([200, 200]);
  });
});
