// The `host` command: a worker that dies, hangs or is orphaned; the clean end.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "watcher-"));
const fixture = (name: string): string => join(import.meta.dirname, "fixtures", name);
const commands: ChildProcess[] = [];
afterEach(() => {
  for (const command of commands.splice(0)) command.kill("SIGKILL");
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Command {
  readonly process: ChildProcess;
  readonly lines: string[];
  readonly baseUrl: string;
}

async function run(app: string, ...more: string[]): Promise<Command> {
  const main = join(import.meta.dirname, "main.ts");
  const child = spawn(process.execPath, [main, fixture(app), "--port", "0", "--data", folder, ...more]);
  commands.push(child);
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => lines.push(...text.split("\n")));
  }
  const exited = once(child, "exit");
  const ready = () =>
    lines
      .find((line) => line.startsWith("Functions host ready on "))
      ?.split(" ")
      .at(-1);
  while (!ready() && child.exitCode === null) await Promise.race([exited, pause(10)]);
  await pause(10);
  return { process: child, lines, baseUrl: ready() ?? "" };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function pidOf({ baseUrl }: Command): Promise<number> {
  for (const deadline = Date.now() + 10_000; ; ) {
    try {
      const response = await fetch(`${baseUrl}/api/pid`);
      if (response.ok) return ((await response.json()) as { pid: number }).pid;
    } catch (cause) {
      if (Date.now() > deadline) throw cause;
    }
    await pause(20);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("a worker that is killed is started again on the same port", async () => {
  const command = await run("unruly-app");
  const pid = await pidOf(command);
  expect(pid).not.toBe(command.process.pid);
  process.kill(pid, "SIGKILL");
  const next = await pidOf(command);
  expect(next).not.toBe(pid);
  expect(command.lines).toContain("host: the worker died (SIGKILL) and is started again in 200 ms");
});

test("a worker that hangs is killed and started again", async () => {
  const command = await run("unruly-app", "--hang-after", "1500");
  const pid = await pidOf(command);
  await expect(fetch(`${command.baseUrl}/api/spin`)).rejects.toThrow();
  expect(await pidOf(command)).not.toBe(pid);
});

test("an error outside any function ends the worker, and the next one serves", async () => {
  const command = await run("unruly-app");
  const pid = await pidOf(command);
  await fetch(`${command.baseUrl}/api/crash`).catch(() => undefined);
  while (isAlive(pid)) await pause(10);
  expect(await pidOf(command)).not.toBe(pid);
  expect(command.lines.join("\n")).toContain("outside any function");
});

test("SIGTERM lets a running function end", async () => {
  const command = await run("unruly-app");
  const pid = await pidOf(command);
  const slow = fetch(`${command.baseUrl}/api/slow`).then((response) => response.text());
  await pause(200);
  const askedAt = Date.now();
  command.process.kill("SIGTERM");
  expect(await slow).toBe("done");
  await once(command.process, "exit");
  expect(command.process.exitCode).toBe(0);
  expect(Date.now() - askedAt).toBeLessThan(4000);
  expect(isAlive(pid)).toBe(false);
});

test("SIGTERM ends a hanging worker too, soon after its time to go on", async () => {
  const command = await run("unruly-app", "--grace", "1000");
  const pid = await pidOf(command);
  void fetch(`${command.baseUrl}/api/spin`).catch(() => undefined);
  await pause(300);
  const askedAt = Date.now();
  command.process.kill("SIGTERM");
  await once(command.process, "exit");
  expect(Date.now() - askedAt).toBeLessThan(5000);
  expect(isAlive(pid)).toBe(false);
});

test("an orphaned worker ends", async () => {
  const command = await run("unruly-app");
  const pid = await pidOf(command);
  command.process.kill("SIGKILL");
  for (const deadline = Date.now() + 3000; isAlive(pid) && Date.now() < deadline; ) await pause(10);
  expect(isAlive(pid)).toBe(false);
});

test("an app that cannot start ends the command, with its faults", async () => {
  const { process: child, lines } = await run("faulty-app");
  if (child.exitCode === null) await once(child, "exit");
  expect(child.exitCode).toBe(1);
  expect(lines.join("\n")).toContain(`function "clicks": this host has no trigger "eventHubTrigger"`);
});
