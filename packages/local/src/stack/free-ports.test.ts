import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { freePorts } from "./free-ports.ts";

const MODULE = JSON.stringify(join(import.meta.dirname, "free-ports.ts"));
const processes: ChildProcess[] = [];

afterEach(() => {
  for (const child of processes.splice(0)) child.kill("SIGKILL");
});

/** The ports that a process of its own chose; it stays until the test ends, and listens on none of them. */
async function portsOfProcess(count: number): Promise<number[]> {
  const code = `
    const { freePorts } = await import(${MODULE});
    process.stdin.resume();
    console.log(JSON.stringify(await freePorts(${count})));`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  processes.push(child);
  const [line] = await once(child.stdout, "data");
  return JSON.parse(String(line));
}

test("processes that choose at once share no port, though nobody listens on them yet", async () => {
  const chosen = await Promise.all([...Array.from({ length: 5 }, () => portsOfProcess(90)), freePorts(90)]);
  expect(new Set(chosen.flat()).size).toBe(6 * 90);
});

test("calls at once in one process share no port", async () => {
  const chosen = await Promise.all(Array.from({ length: 9 }, () => freePorts(11)));
  expect(new Set(chosen.flat()).size).toBe(99);
});

test("a port on which somebody listens is left out", async () => {
  const [port = 0] = await freePorts(1);
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  try {
    expect(await freePorts(98)).not.toContain(port);
    await expect(freePorts(99)).rejects.toThrow("99 free ports are wanted");
  } finally {
    server.close();
  }
});
