// The `host` command in the flex topology: what the processes share and what not, and what the death of one is to the others.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { InstanceStatus } from "../watcher-messages.ts";

const folder = mkdtempSync(join(tmpdir(), "flex-"));
const commands: ChildProcess[] = [];
/** One for all tests that leave it as it was. */
let command: Command;
beforeAll(async () => {
  command = await run("groups-app", "--instances", "durable=3,http=2");
});
afterEach(() => {
  for (const child of commands.splice(1)) child.kill("SIGKILL");
});
afterAll(() => {
  command.process.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

interface Command {
  readonly process: ChildProcess;
  readonly url: string;
  readonly output: () => string;
  /** Where the app notes what its hooks and timers do. */
  readonly notes: (file: string) => string[];
}

interface Seen {
  readonly pid: number;
  readonly count: number;
  readonly group: string;
  readonly instance: string;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function run(app: string, ...more: string[]): Promise<Command> {
  const own = join(folder, String(Math.random()));
  mkdirSync(own);
  const main = join(import.meta.dirname, "..", "main.ts");
  const fixture = join(import.meta.dirname, "..", "fixtures", app);
  const options = ["--port", "0", "--data", join(own, "data"), "--topology", "flex", "--longest-pause", "100"];
  const child = spawn(process.execPath, [main, fixture, ...options, ...more], { env: { ...process.env, NOTES: own } });
  commands.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const url = () => /^Functions host ready on (\S+)$/m.exec(output)?.[1];
  while (!url() && child.exitCode === null) await pause(10);
  return {
    process: child,
    url: url() ?? "",
    output: () => output,
    notes: (file) => {
      try {
        return readFileSync(join(own, file), "utf8").trim().split("\n");
      } catch {
        return [];
      }
    },
  };
}

const get = async <T>(url: string): Promise<T> => (await fetch(url)).json() as Promise<T>;

async function instancesOf({ url } = command): Promise<InstanceStatus[]> {
  return (await get<{ instances: InstanceStatus[] }>(`${url}/admin/host/status`)).instances;
}

/** 0 while it is not ready. */
async function pidOf(name: string): Promise<number> {
  const found = (await instancesOf()).find((one) => one.name === name);
  return found?.isReady ? found.pid : 0;
}

const start = (name: string, id: string, input: unknown = null) =>
  fetch(`${command.url}/api/start/${name}/${id}`, { method: "POST", body: JSON.stringify(input) });

async function outputOf<T>(id: string): Promise<T> {
  const status = () =>
    get<{ runtimeStatus: string; output: T }>(`${command.url}/runtime/webhooks/durabletask/instances/${id}?code=local`);
  await expect.poll(async () => (await status()).runtimeStatus).toBe("Completed");
  return (await status()).output;
}

/** Until its host knows of its end. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Without a host: whoever inherits a process that has ended may take seconds to ask for its end, and until then it answers signals. */
function isRunning(pid: number): boolean {
  if (process.platform !== "linux") return isAlive(pid);
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

test("each group of functions has processes of its own, and what one keeps in memory no other sees", async () => {
  const instances = await instancesOf();
  const names = ["durable", "durable.2", "durable.3", "http", "http.2", "tick", "tock"];
  expect(instances.map(({ name }) => name)).toEqual(names);
  expect(instances.every(({ isReady }) => isReady)).toBe(true);
  const counted = await Promise.all(Array.from({ length: 6 }, () => get<Seen>(`${command.url}/api/count`)));
  for (const name of ["http", "http.2"]) {
    const own = counted.filter(({ instance }) => instance === name);
    expect(own.map(({ count }) => count).sort()).toEqual([1, 2, 3]);
  }
  await start("looks", "alone", { times: 1, ms: 0 });
  const [look] = await outputOf<Seen[]>("alone");
  expect(look).toMatchObject({ count: 1, group: "durable" });
  await expect.poll(() => command.notes("tick").length).toBeGreaterThan(1);
  await expect.poll(() => command.notes("tock").length).toBeGreaterThan(0);
  const ticks = command.notes("tick").map((line) => JSON.parse(line) as Seen);
  const tocks = command.notes("tock").map((line) => JSON.parse(line) as Seen);
  expect(ticks.map(({ count }) => count)).toEqual(ticks.map((_, index) => index + 1));
  expect(tocks[0]).toMatchObject({ count: 1, group: "tock" });
  const pids = [...counted, look, ticks[0], tocks[0]].map((one) => one?.pid);
  expect(new Set([...pids, command.process.pid]).size).toBe(6);

  const { pid } = instances.find(({ name }) => name === "http") ?? {};
  expect(command.output()).toContain(`  http (process ${pid}): count, fails, crash, slow, start`);
  const counts = await get<Record<string, number>>(`${command.url}/admin/counts`);
  expect(counts).toMatchObject({ activityTrigger: 1, httpTrigger: 7, "durable.activities": 1 });
  expect(counts["timerTrigger"]).toBeGreaterThan(2);
});

test("the durable client of another group calls the durable process; its URLs have the app's own address", async () => {
  const started = await start("refused", "first");
  expect(started.status).toBe(202);
  const { statusQueryGetUri } = (await started.json()) as { statusQueryGetUri: string };
  expect(statusQueryGetUri).toMatch(new RegExp(`^${command.url}/runtime/webhooks/durabletask/instances/first[?]`));
  expect(await outputOf<string>("first")).toContain("sold out");
  expect((await start("none", "second")).status).toBe(500);
  expect((await fetch(`${command.url}/api/nothing`)).status).toBe(404);
});

test("a function that is run by hand runs in its own group's process", async () => {
  const before = command.notes("tick").length;
  expect((await fetch(`${command.url}/admin/functions/tick`, { method: "POST" })).status).toBe(202);
  await expect.poll(() => command.notes("tick").length).toBeGreaterThan(before);
  const pid = await pidOf("tick");
  for (const line of command.notes("tick")) expect(JSON.parse(line)).toMatchObject({ pid });
  expect((await fetch(`${command.url}/admin/functions/nothing`, { method: "POST" })).status).toBe(404);
});

test("a function that throws is an answer; kill -9 of a group's processes leaves the others up, and a request waits for the next", async () => {
  const before = await instancesOf();
  expect((await fetch(`${command.url}/api/fails`)).status).toBe(500);
  expect(await instancesOf()).toEqual(before);
  const pids = [await pidOf("http"), await pidOf("http.2")];
  for (const pid of pids) process.kill(pid, "SIGKILL");
  while (pids.some(isAlive)) await pause(5);
  const after = await get<Seen>(`${command.url}/api/count`);
  expect(after).toMatchObject({ count: 1, group: "http" });
  expect(pids).not.toContain(after.pid);
  await expect.poll(async () => Math.min(await pidOf("http"), await pidOf("http.2"))).toBeGreaterThan(0);
  const others = (all: InstanceStatus[]) => all.filter(({ group }) => group !== "http");
  expect(others(await instancesOf())).toEqual(others(before));
  expect(command.output()).toContain("host: http died (SIGKILL) and is started again in 100 ms");
});

test("an error outside any function ends one process, and the others stay", async () => {
  const before = await instancesOf();
  await fetch(`${command.url}/api/crash`);
  await expect.poll(() => instancesOf()).not.toEqual(before);
  await expect.poll(async () => Math.min(await pidOf("http"), await pidOf("http.2"))).toBeGreaterThan(0);
  const after = await instancesOf();
  expect(after.filter(({ pid }, index) => pid !== before[index]?.pid)).toHaveLength(1);
  expect(command.output()).toContain("outside any function");
});

test("activities are spread over the durable processes; one that dies with activities under way costs none of them", async () => {
  const names = (looks: Seen[]) => [...new Set(looks.map(({ instance }) => instance))].sort();
  // As host.json says, each process runs four at a time.
  await start("looks", "spread", { times: 12, ms: 300 });
  const spread = await outputOf<Seen[]>("spread");
  expect(names(spread)).toEqual(["durable", "durable.2", "durable.3"]);
  for (const name of names(spread)) expect(spread.filter(({ instance }) => instance === name)).toHaveLength(4);

  await start("looks", "crashed", { times: 24, ms: 400 });
  await pause(200);
  const pid = await pidOf("durable.2");
  process.kill(pid, "SIGKILL");
  const crashed = await outputOf<Seen[]>("crashed");
  expect(crashed).toHaveLength(24);
  await expect.poll(() => pidOf("durable.2")).toBeGreaterThan(0);
  await start("looks", "again", { times: 12, ms: 300 });
  expect(names(await outputOf<Seen[]>("again"))).toContain("durable.2");
});

test("kill -9 of the process with the engine in the middle of an orchestration: a client waits for the next, which goes on from there", async () => {
  await start("chain", "long");
  await pause(500);
  const pid = await pidOf("durable");
  process.kill(pid, "SIGKILL");
  while (isAlive(pid)) await pause(5);
  expect((await start("looks", "meanwhile", { times: 1, ms: 0 })).status).toBe(202);
  expect(await outputOf<Seen[]>("long")).toHaveLength(6);
  expect(await outputOf<Seen[]>("meanwhile")).toHaveLength(1);
  expect(await pidOf("durable")).not.toBe(pid);
});

test("a process that is asked to go lets its request end, gets no further one, and another takes its place", async () => {
  const slow = [1, 2].map(async () => (await fetch(`${command.url}/api/slow`)).text());
  await pause(200);
  const pid = await pidOf("http.2");
  process.kill(pid, "SIGTERM");
  await expect.poll(() => pidOf("http.2")).not.toBe(pid);
  expect(await get<Seen>(`${command.url}/api/count`)).toMatchObject({ instance: "http" });
  expect(await Promise.all(slow)).toEqual(["done", "done"]);
  await expect.poll(() => pidOf("http.2")).toBeGreaterThan(0);
  expect(isAlive(pid)).toBe(false);
});

test("the hooks run in each process; SIGINT ends all in order, and a request under way gets its answer", async () => {
  const instances = await instancesOf();
  await start("chain", "left");
  const slow = fetch(`${command.url}/api/slow`).then((response) => response.text());
  await pause(300);
  const askedAt = Date.now();
  command.process.kill("SIGINT");
  expect(await slow).toBe("done");
  if (command.process.exitCode === null) await once(command.process, "exit");
  expect(command.process.exitCode).toBe(0);
  expect(Date.now() - askedAt).toBeLessThan(5000);
  const hooks = command.notes("hooks");
  for (const { name, pid } of instances) {
    expect(hooks).toEqual(expect.arrayContaining([`start ${name} ${pid}`, `end ${name} ${pid}`]));
    expect(isAlive(pid), name).toBe(false);
  }
  // The process that only describes the app to the others runs none.
  expect(hooks.filter((line) => line.startsWith("start undefined"))).toEqual([]);
  expect(command.output()).not.toContain("Did not end in time");
});

test("all processes end when the command is killed", async () => {
  const killed = await run("groups-app");
  const instances = await instancesOf(killed);
  killed.process.kill("SIGKILL");
  const alive = () => instances.filter(({ pid }) => isRunning(pid)).map(({ name }) => name);
  await expect.poll(alive).toEqual([]);
});

test("an app that can't start here ends the command, its faults named once; so does a wrong number of processes", async () => {
  for (const [app, options, fault] of [
    ["faulty-app", [], `function "clicks": this host has no trigger "eventHubTrigger"`],
    ["groups-app", ["--instances", "tick=2"], "--instances tick: a timer function runs in one process"],
    ["groups-app", ["--instances", "tick"], "--instances tick: group=number"],
  ] as const) {
    const { process: child, output } = await run(app, ...options);
    expect(child.exitCode, app).not.toBe(0);
    expect(output().split(fault)).toHaveLength(2);
  }
});
