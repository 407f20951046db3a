// Streamed HTTP, in a file of its own: the library streams for a whole process or not at all.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type RunningHost, startHost } from "../start.ts";

const folder = mkdtempSync(join(tmpdir(), "stream-"));
let host: RunningHost;
beforeAll(async () => {
  host = await startHost({ appDir: join(import.meta.dirname, "../fixtures/stream-app"), port: 0, data: folder });
});
afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true });
});

test("a request body is read as it comes", async () => {
  const response = await fetch(`${host.baseUrl}/api/upper/ada`, { method: "POST", body: "hello" });
  expect([response.status, response.headers.get("x-name"), await response.text()]).toEqual([201, "ada", "HELLO"]);
});

test("a body whose length is not told is refused where it gets too long", async () => {
  vi.stubEnv("FUNCTIONS_REQUEST_BODY_SIZE_LIMIT", "100000");
  const body = new Blob([Buffer.alloc(5_000_000)]).stream();
  const request = { method: "POST", body, duplex: "half" } as RequestInit;
  expect((await fetch(`${host.baseUrl}/api/upper/ada`, request)).status).toBe(413);
  vi.unstubAllEnvs();
});

test("an answer arrives in pieces, before the function's stream has ended", async () => {
  const response = await fetch(`${host.baseUrl}/api/ticks`);
  const arrivals: number[] = [];
  let text = "";
  for await (const chunk of response.body ?? []) {
    arrivals.push(performance.now());
    text += Buffer.from(chunk).toString();
  }
  expect(text).toBe("one two three");
  expect((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(100);
});

test("a function that throws answers 500", async () => {
  expect((await fetch(`${host.baseUrl}/api/fails`)).status).toBe(500);
});
