// The stack as real processes: they start, answer, die, come back, and leave nothing behind.
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Addresses } from "./addresses.ts";
import { withFreeOption } from "./busy-port.ts";
import { freePorts } from "./free-ports.ts";
import { addressRows, type PartAddress, type ServicesMessage } from "./parts.ts";
import { type Stack, type StackOptions, startStack } from "./stack.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const SERVICES = join(ROOT, "dist", "services.js");
const REMOTES = {
  services: [
    { name: "inventory", resources: [{ path: "/reservations", idPrefix: "res", actions: ["release"] }] },
    { name: "payment", resources: [{ path: "/payments", idPrefix: "pay", actions: ["refund"] }] },
  ],
};

let folder: string;
let remotesFile: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "stack-"));
  remotesFile = join(folder, "remotes.json");
  await writeFile(remotesFile, JSON.stringify(REMOTES));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const newData = () => mkdtemp(join(folder, "data-"));

interface Command {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** The command as npm runs it, without a channel, or as a program forks it. */
function services(args: readonly string[], { channel = true } = {}): Command {
  const options = { cwd: folder, stdio: ["ignore", "pipe", "pipe", ...(channel ? ["ipc" as const] : [])] } as const;
  const child = channel
    ? fork(SERVICES, args, { ...options, stdio: [...options.stdio] })
    : spawn(process.execPath, [SERVICES, ...args], { ...options, stdio: [...options.stdio] });
  const said = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => {
    said.stdout += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    said.stderr += chunk;
  });
  // Not "close", which never comes to a parent that disconnects.
  const events = [once(child, "exit"), ...[child.stdout, child.stderr].map((stream) => stream && once(stream, "end"))];
  return { child, ended: Promise.all(events).then(([exit]) => ({ code: exit?.[0], ...said })) };
}

async function partsOf(child: ChildProcess): Promise<readonly PartAddress[]> {
  const [message] = (await once(child, "message")) as [ServicesMessage];
  if (!message.ready) throw new Error(message.error);
  return message.parts;
}

function portsIn(part: PartAddress): number[] {
  return addressRows(part).flatMap(({ where }) => [...where.matchAll(/\b(\d{4,5})\b/g)].map(([port]) => Number(port)));
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A port that is taken, with free ones on both sides, which parts beside it want. */
async function occupied(): Promise<{ server: Server; port: number }> {
  for (;;) {
    const [below = 0, port = 0, above = 0] = await freePorts(3);
    if (port !== below + 1 || above !== port + 1) continue;
    const server = createServer().listen(port, "127.0.0.1");
    await once(server, "listening");
    return { server, port };
  }
}

describe("the services command", () => {
  test.for([
    ["bus", 2, ["--bus-admin-port", "0"]],
    ["bus", 3, ["--bus-admin-port", "0", "--tls", "--bus-tls-port", "0"]],
    ["cosmos", 1, []],
    ["cosmos", 2, ["--tls"]],
    ["remotes", 2, []],
    ["azurite", 3, []],
  ] as const)("runs %s alone, and ends with its channel", async ([name, count, more]) => {
    const file = name === "remotes" ? ["--remotes", remotesFile] : [];
    const { child, ended } = services([name, "--port", "0", "--data", await newData(), ...file, ...more]);
    const parts = await partsOf(child);
    expect(parts.map((part) => part.name)).toEqual([name]);
    const ports = parts.flatMap(portsIn);
    expect(ports).toHaveLength(count);
    for (const port of ports) expect(await listens(port), `${name} ${port}`).toBe(true);
    child.disconnect();
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    for (const port of ports) expect(stdout).toContain(String(port));
    for (const port of ports) expect(await listens(port), `${name} ${port}`).toBe(false);
  });

  test.for(["SIGINT", "SIGTERM"] as const)("ends cleanly on %s", async (signal) => {
    const { child, ended } = services(["remotes", "--remotes-port", "0", "--remotes", remotesFile], { channel: false });
    await once(child.stdout ?? child, "data");
    child.kill(signal);
    expect(await ended).toMatchObject({ code: 0, stderr: "" });
  });

  test("names every fault of its arguments, and how to use it", async () => {
    const wrong = await services(["bux", "--port", "x"], { channel: false }).ended;
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toMatch(/no part bux[\s\S]*--port needs exactly one part[\s\S]*services \[bus\]/);
    const missing = await services(["remotes", "--remotes", "nowhere.json"], { channel: false }).ended;
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("there is no file nowhere.json") });
  });

  test.for([
    ["remotes", 0],
    ["azurite", 1],
  ] as const)("names the busy port, %s and its option", async ([part, offset]) => {
    const { server, port } = await occupied();
    const args = [part, "--port", String(port - offset), "--remotes", remotesFile, "--data", await newData()];
    const { code, stderr } = await services(args, { channel: false }).ended;
    server.close();
    expect(code).toBe(1);
    expect(stderr.trim()).toBe(
      `port ${port} is busy, and ${part} wants it; free it or give ${part} another with --${part}-port N`,
    );
  });
});

describe("the stack", () => {
  const begin = async (options: Partial<StackOptions> = {}): Promise<Stack> =>
    startStack({ appDir: folder, data: await newData(), ports: "free", host: false, remotesFile, ...options });

  async function reserve(stack: Stack, key: string): Promise<string | null> {
    const answer = await fetch(`${stack.addresses.remotes["inventory"]}/reservations`, {
      method: "POST",
      headers: { "Idempotency-Key": key },
      body: "{}",
    });
    expect(answer.status).toBe(201);
    return answer.headers.get("Idempotent-Replay");
  }

  test("starts every part and stops without a trace", async () => {
    const progress = vi.fn();
    const data = await newData();
    const stack = await begin({ data, onProgress: progress, tls: true });
    const { bus, cosmos, azurite, remotes } = stack.addresses;
    // One certificate is to be trusted for both.
    const certificateFile = join(data, "tls", "certificate.pem");
    expect([bus?.tls, cosmos?.tls]).toMatchObject([{ certificateFile }, { certificateFile }]);
    const [blobs, inventory] = [azurite?.blobPort, Number(new URL(remotes["inventory"] ?? "").port)];
    const ports = [bus?.port, bus?.adminPort, bus?.tls?.port, cosmos?.port, blobs, inventory].map((port) => port ?? 0);
    const pids = stack.processes.map(({ pid }) => pid);
    expect(stack.processes.map(({ name }) => name).toSorted()).toEqual(["azurite", "remotes", "services"]);
    expect(progress.mock.calls.map(([part]) => part).toSorted()).toEqual(["azurite", "bus", "cosmos", "remotes"]);
    for (const port of ports) expect(await listens(port)).toBe(true);
    await stack.stop();
    expect(stack.processes).toEqual([]);
    for (const pid of pids) expect(lives(pid)).toBe(false);
    for (const port of ports) expect(await listens(port)).toBe(false);
    expect(await readFile(join(data, "logs", "azurite.log"), "utf8")).toContain("successfully listening");
  });

  test("brings back what was killed, on the same ports and data, and tells of what died by itself", async () => {
    const onExit = vi.fn();
    const stack = await begin({ parts: ["remotes", "azurite"], onExit });
    const before = stack.addresses;
    expect(await reserve(stack, "k")).toBeNull();
    await stack.kill("remotes", "SIGKILL");
    expect(stack.processes.map(({ name }) => name)).toEqual(["azurite"]);
    await Promise.all([stack.restart("remotes"), stack.restart("azurite")]);
    expect(stack.addresses).toEqual(before);
    expect(await reserve(stack, "k")).toBe("true");
    expect(onExit).not.toHaveBeenCalled();

    const { pid = 0 } = stack.processes.find(({ name }) => name === "remotes") ?? {};
    process.kill(pid, "SIGKILL");
    await expect.poll(() => onExit.mock.calls).toEqual([["remotes", { code: null, signal: "SIGKILL" }]]);
    await stack.stop();
  });

  test("runs a host on the app, which knows the addresses, and brings it back from kill -9", async () => {
    const settingsFor = vi.fn(({ host }: Addresses) => ({ Hub: "stack", OwnPort: String(host?.port) }));
    const appDir = join(ROOT, "src", "host", "fixtures", "durable-app");
    const stack = await begin({ appDir, host: true, parts: [], settingsFor });
    const url = stack.addresses.host?.url;
    const status = async () => (await fetch(`${url}/admin/host/status`)).status;
    expect(settingsFor).toHaveBeenCalledWith(stack.addresses);
    expect(await status()).toBe(200);
    await stack.kill("host", "SIGKILL");
    await expect(status()).rejects.toThrow("fetch failed");
    await stack.restart("host");
    expect(await status()).toBe(200);
    await stack.stop();
    await expect(status()).rejects.toThrow("fetch failed");
  });

  test("runs two hosts side by side, each with its own port, task hub and data, and one outlives the other", async () => {
    const settingsFor = vi.fn(({ host }: Addresses) => ({ Hub: "stack", OwnPort: String(host?.port) }));
    const appDir = join(ROOT, "src", "host", "fixtures", "durable-app");
    const data = await newData();
    const stack = await begin({ appDir, host: true, hosts: 2, parts: [], settingsFor, data });
    const [first, second] = stack.addresses.hosts;
    if (!first || !second) throw new Error("two hosts are wanted");
    expect(stack.processes.map(({ name }) => name).sort()).toEqual(["host", "host2"]);
    expect(stack.addresses.host).toEqual(first);
    expect(settingsFor.mock.calls.map(([{ host }]) => host)).toEqual([first, second]);
    const status = async ({ url }: { url: string }) => (await fetch(`${url}/admin/host/status`)).status;
    expect([await status(first), await status(second)]).toEqual([200, 200]);
    expect(await readdir(data)).toEqual(expect.arrayContaining(["host", "host2"]));

    await stack.kill("host", "SIGKILL");
    await expect(status(first)).rejects.toThrow("fetch failed");
    expect(await status(second)).toBe(200);
    await stack.restart("host");
    expect(await status(first)).toBe(200);
    await stack.stop();
    for (const { port } of [first, second]) expect(await listens(port)).toBe(false);
  });

  test.for([true, false])("says what the host said when it cannot start the app (as lines: %s)", async (asLines) => {
    const log = vi.fn();
    const starting = begin({ appDir: join(folder, "nowhere"), host: true, parts: [], ...(asLines ? { log } : {}) });
    await expect(starting).rejects.toThrow(/host ended before it was ready:\n[\s\S]*nowhere/);
    expect(log.mock.calls.length > 0).toBe(asLines);
  });

  test("says what kept it from starting, and stops the rest", async () => {
    const { server, port } = await occupied();
    const ports = { remotes: [0, port], azuriteBlob: 0, azuriteQueue: 0, azuriteTable: 0 };
    await expect(begin({ parts: ["remotes", "azurite"], ports })).rejects.toThrow(
      `port ${port} is busy, and remotes wants it`,
    );
    server.close();
  });

  test("says which port Azurite wants and how to give it another, or all free ones", async () => {
    const { server, port } = await occupied();
    const ports = { azuriteBlob: port, azuriteQueue: 0, azuriteTable: 0 };
    const message = await begin({ parts: ["azurite"], ports }).catch((cause: Error) => cause.message);
    const busy = `port ${port} is busy, and azurite wants it; free it`;
    expect(message).toBe(`${busy} or give azurite another with --azurite-port N`);
    expect(withFreeOption(`${message}\n${message}`, "start with --free")).toBe(
      `${busy}, or start with --free\n${busy}, or start with --free`,
    );
    server.close();
  });

  test("says once what keeps several parts from starting", async () => {
    const data = join(import.meta.filename, "d");
    const message = await begin({ data, parts: ["bus", "cosmos"] }).catch((cause: Error) => cause.message);
    expect(message).toBe(`${import.meta.filename} is a file, and a folder is needed.`);
  });

  test("does not outlive a parent that was killed", async () => {
    const script = `
      const { startStack } = await import(${JSON.stringify(join(ROOT, "dist", "stack", "stack.js"))});
      const stack = await startStack(JSON.parse(process.argv[1]));
      console.log(JSON.stringify([stack.processes, stack.addresses.host.port]));`;
    const appDir = join(ROOT, "src", "host", "fixtures", "durable-app");
    const options = { appDir, data: await newData(), ports: "free", remotesFile, settings: { Hub: "stack" } };
    const parent = spawn(process.execPath, ["--input-type=module", "-e", script, JSON.stringify(options)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
    const [processes, hostPort] = JSON.parse(line) as [{ pid: number }[], number];
    const pids = processes.map(({ pid }) => pid);
    expect(pids.filter(lives)).toHaveLength(4);
    parent.kill("SIGKILL");
    await expect.poll(() => pids.filter(lives)).toEqual([]);
    // The host's worker is a process of its own.
    await expect.poll(() => listens(hostPort)).toBe(false);
  });
});
