// The host as a caller sees it: HTTP functions, timers, administration, settings, the errors at the start.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { Database } from "../database/database.ts";
import { timerStatuses } from "./schedule/timer-status.ts";
import { type HostOptions, type RunningHost, startHost } from "./start.ts";
import { ListenerLock } from "./triggers/listener-lock.ts";

const fixture = (name: string): string => join(import.meta.dirname, "fixtures", name);
const folder = mkdtempSync(join(tmpdir(), "host-"));
const running: RunningHost[] = [];
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(async () => {
  for (const host of running.splice(0)) await host.close();
});

let folders = 0;
async function start(app: string, options: Partial<HostOptions> = {}): Promise<RunningHost> {
  folders += 1;
  const data = join(folder, `data-${folders}`);
  const host = await startHost({ appDir: fixture(app), port: 0, data, ...options });
  running.push(host);
  return host;
}

async function eventually(check: () => void | Promise<void>, withinMs = 30_000): Promise<void> {
  for (const deadline = Date.now() + withinMs; ; ) {
    try {
      return await check();
    } catch (cause) {
      if (Date.now() > deadline) throw cause;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

interface TimerRun {
  readonly name: string;
  readonly at: number;
  readonly timer: { isPastDue: boolean; scheduleStatus: { last: string; next: string } | null; running: number };
}
const timerRuns: TimerRun[] = [];
Object.assign(globalThis, { timerRuns });
const stepRuns: string[] = [];
Object.assign(globalThis, { stepRuns });
const runsOf = (name: string) => timerRuns.filter((run) => run.name === name);

test("HTTP functions get route parameters, query, headers and body, and answer with status, headers and cookies", async () => {
  const { baseUrl } = await start("first-app");
  const echo = await fetch(`${baseUrl}/api/echo?a=1&b=2&a=3`, {
    method: "POST",
    body: "hello",
    headers: { "x-sent": "yes" },
  });
  expect(echo.status).toBe(201);
  expect(echo.headers.get("x-seen")).toBe("yes");
  expect(echo.headers.get("set-cookie")).toBe("crumb=a%20b; Path=/; SameSite=Lax; HttpOnly");
  expect(await echo.json()).toMatchObject({ body: "hello", query: { a: "1,3", b: "2" } });

  const bytes = new Uint8Array(70_000).map((_, index) => index % 251);
  const returned = await fetch(`${baseUrl}/api/bytes`, { method: "POST", body: bytes });
  expect(new Uint8Array(await returned.arrayBuffer())).toEqual(bytes);

  expect((await fetch(`${baseUrl}/api/empty`, { method: "DELETE" })).status).toBe(204);
});

test("the most specific route wins, constraints hold, optional and catch-all parameters may be absent", async () => {
  const { baseUrl } = await start("first-app");
  const get = async (path: string) => {
    const response = await fetch(`${baseUrl}/api/${path}`);
    return response.ok ? await response.text() : response.status;
  };
  expect(await get("items/special")).toBe("special");
  expect(await get("items/7")).toBe(`{"id":"7"}`);
  expect(await get("items/7/lid%20blue")).toBe(`{"id":"7","part":"lid blue"}`);
  expect(await get("items/seven")).toBe(404);
  expect(await get("files/a/b/c.txt")).toBe("a/b/c.txt");
  expect(await get("files")).toBe("none");
  expect(await get("echo")).toBe(404);
});

test("a function that throws answers 500 without the cause, which is logged", async () => {
  const lines: string[] = [];
  const { baseUrl } = await start("first-app", { log: (line) => lines.push(line) });
  const response = await fetch(`${baseUrl}/api/fails`);
  expect([response.status, await response.text()]).toEqual([500, ""]);
  expect(lines.filter((line) => line.includes("no luck"))).toHaveLength(1);
  expect(lines[0]).toBe(`Functions host ready on ${baseUrl}`);
  expect(lines).toContain(`  echo: [POST] ${baseUrl}/api/echo`);
});

test("a path of /admin and the name in it have no case", async () => {
  const { baseUrl } = await start("first-app");
  expect(await (await fetch(`${baseUrl}/Admin/Functions/ECHO`)).json()).toMatchObject({ name: "echo" });
});

test("the host tells its state, its functions and its counts", async () => {
  const { baseUrl, functions } = await start("timer-app");
  expect(functions).toContainEqual({ name: "at-start", triggerType: "timerTrigger" });
  const status = (await (await fetch(`${baseUrl}/admin/host/status`)).json()) as { state: string; functions: object[] };
  expect(status.state).toBe("Running");
  expect(status.functions).toContainEqual({ name: "slow", triggerType: "timerTrigger", isDisabled: true });
  await eventually(() => expect(runsOf("at-start")).toHaveLength(1));
  const counts = (await (await fetch(`${baseUrl}/admin/counts`)).json()) as Record<string, number>;
  expect(counts["timerTrigger"]).toBeGreaterThan(0);
  expect(Object.values(counts).every(Number.isFinite)).toBe(true);
});

test("timers run on their schedule, and by hand when they are posted to", async () => {
  timerRuns.length = 0;
  const { baseUrl } = await start("timer-app");
  // On a busy machine one or the other comes late.
  const onTime = () => runsOf("each-second").filter(({ at }) => at % 1000 < 300);
  await eventually(() => expect(onTime().length).toBeGreaterThan(1));
  const [, second] = onTime();
  expect(second?.timer).toMatchObject({ isPastDue: false, schedule: { adjustForDST: true }, scheduleStatus: null });

  const response = await fetch(`${baseUrl}/admin/functions/monitored`, { method: "POST", body: `{"input": ""}` });
  expect(response.status).toBe(202);
  await eventually(() => expect(runsOf("monitored")).toHaveLength(1));
  expect(Date.parse(runsOf("monitored")[0]?.timer.scheduleStatus?.next ?? "") % 1000).toBe(0);
});

test("as in Azure, no timer runs before the lock of a killed host has expired", async () => {
  timerRuns.length = 0;
  const data = join(folder, "killed");
  const until = Date.now() + 2500;
  const database = new Database(join(data, "host.db"));
  new ListenerLock("each-second", database, { periodMs: 1, recoveryPollingIntervalMs: 1 });
  database.prepare("INSERT INTO listenerLock VALUES ('each-second', 'the killed one', ?)").run(until);
  database.close();
  const prefix = "AzureFunctionsJobHost__singleton__";
  const settings = { [`${prefix}listenerLockRecoveryPollingInterval`]: "00:00:01" };
  await start("timer-app", { data, engine: "azure-storage", settings });
  await eventually(() => expect(runsOf("each-second").length).toBeGreaterThan(1), 15_000);
  expect(runsOf("each-second")[0]?.at).toBeGreaterThanOrEqual(until);
  expect(runsOf("at-start").length).toBe(1);
});

test("a timer never runs twice at once", async () => {
  timerRuns.length = 0;
  await start("timer-app", { settings: { "AzureWebJobs.slow.Disabled": "false" } });
  await eventually(() => expect(runsOf("slow").length).toBeGreaterThan(2), 8000);
  expect(runsOf("slow").map(({ timer }) => timer.running)).toEqual(runsOf("slow").map(() => 1));
});

test("a run that was missed while the host was down is caught up once", async () => {
  timerRuns.length = 0;
  const data = join(folder, "missed");
  const host = await startHost({ appDir: fixture("timer-app"), port: 0, data });
  await host.close();
  const database = new Database(join(data, "host.db"));
  const threeDaysAgo = new Date(Date.now() - 3 * 86_400_000);
  await timerStatuses(database).write("monitored", { last: threeDaysAgo, next: threeDaysAgo, updatedAt: threeDaysAgo });
  database.close();
  await start("timer-app", { data });
  await eventually(() => expect(runsOf("monitored")).toHaveLength(1));
  expect(runsOf("monitored")[0]?.timer.isPastDue).toBe(true);
  await running.pop()?.close();
  await start("timer-app", { data });
  await eventually(() => expect(runsOf("each-second").length).toBeGreaterThan(0));
  expect(runsOf("monitored")).toHaveLength(1);
});

test("a retry policy runs a failed timer again, and tells it the count", async () => {
  timerRuns.length = 0;
  const { baseUrl } = await start("timer-app");
  await fetch(`${baseUrl}/admin/functions/retried`, { method: "POST" });
  await eventually(() => expect(runsOf("retried")).toHaveLength(3));
  expect(runsOf("retried")[2]?.timer).toMatchObject({ attempts: 3, retry: { retryCount: 2, maxRetryCount: 2 } });
});

test("a function that runs for longer than functionTimeout is told of", async () => {
  const overdue: string[] = [];
  const { baseUrl } = await start("unruly-app", {
    settings: { AzureFunctionsJobHost__functionTimeout: "00:00:00.3" },
    onTimeout: (functionName) => overdue.push(functionName),
  });
  await fetch(`${baseUrl}/api/slow`);
  expect(overdue).toEqual(["slow"]);
});

test("a durable app runs: client, management URLs, counts", async () => {
  const { baseUrl } = await start("durable-app");
  const started = await fetch(`${baseUrl}/api/start/first`, { method: "POST", body: `["Ada", "Grace"]` });
  expect(started.status).toBe(202);
  const { statusQueryGetUri } = (await started.json()) as { statusQueryGetUri: string };
  expect(statusQueryGetUri).toMatch(new RegExp(`^${baseUrl}/runtime/webhooks/durabletask/instances/first[?]`));
  await eventually(async () => {
    const status = await (await fetch(statusQueryGetUri)).json();
    expect(status).toMatchObject({ runtimeStatus: "Completed", output: ["Hello Ada", "Hello Grace"] });
  });
  const counts = (await (await fetch(`${baseUrl}/admin/counts`)).json()) as Record<string, number>;
  expect(counts).toMatchObject({ activityTrigger: 2, httpTrigger: 1, "durable.activities": 2 });
  expect(counts["commits"]).toBeGreaterThan(0);
});

test("a host that stops lets the activity end that runs, and leaves the next ones to its next start", async () => {
  stepRuns.length = 0;
  const data = join(folder, "steps");
  const { baseUrl, close } = await startHost({ appDir: fixture("steps-app"), port: 0, data });
  await fetch(`${baseUrl}/api/begin`, { method: "POST" });
  await eventually(() => expect(stepRuns).toContain("2 begins"));
  const lingering = fetch(`${baseUrl}/api/linger`).then((response) => response.text());
  await new Promise((resolve) => setTimeout(resolve, 50));
  await close();
  expect(await lingering).toBe("done");
  expect(stepRuns).toEqual(["1 begins", "1 ends", "2 begins", "2 ends"]);

  await start("steps-app", { data });
  const all = [1, 2, 3, 4, 5].flatMap((step) => [`${step} begins`, `${step} ends`]);
  await eventually(() => expect(stepRuns).toEqual(all));
});

test("every fault of every function is in one error at the start", async () => {
  const fault = await start("faulty-app").catch((cause: Error) => cause.message);
  expect(String(fault).split("\n")).toEqual([
    "The app cannot run here:",
    expect.stringMatching(/function "news": this host has no topics, and its binding "serviceBusTrigger\w*" names one/),
    expect.stringContaining(`function "clicks": this host has no trigger "eventHubTrigger"; it knows httpTrigger`),
    expect.stringContaining(`function "writer": this host has no output "eventGrid"; it knows http, serviceBus`),
    expect.stringMatching(/function "sweeper", binding "timer\w+" \(timerTrigger\): setting "SweepEvery"/),
    expect.stringMatching(/function "intake", .*setting "Intake", which "queueName" refers to as %Intake%, is missing/),
    expect.stringMatching(
      /function "intake", .*setting "Bus" \(or "AzureWebJobsBus"\) with the connection string is missing/,
    ),
    expect.stringMatching(/function "news", .*setting "Bus"/),
    expect.stringContaining(`function "shouts": route "admin/shouts" conflicts with the host's own`),
    expect.stringContaining(`function "again": its route and methods are those of "plain" too`),
    expect.stringContaining(`function "odd": route "api/odd/{id:prime}": "prime" is not a route constraint`),
  ]);
});

test("a busy port rejects with Node's error", async () => {
  const { port } = await start("first-app");
  await expect(start("first-app", { port })).rejects.toMatchObject({ code: "EADDRINUSE", port });
});
