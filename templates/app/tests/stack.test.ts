// A registration on the local stack, by the official SDKs: what the other tests run in memory goes through with real servers too.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JobClient } from "@scheduler-agent-supervisor/client";
import type { Stack } from "@scheduler-agent-supervisor/local";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openClient, sampleJob, startApp } from "../tools/stack.ts";

const data = mkdtempSync(join(tmpdir(), "registration-"));
let stack: Stack;
let client: JobClient;

beforeAll(async () => {
  stack = await startApp({ data, ports: "free" });
  client = openClient(stack);
});

afterAll(async () => {
  await client?.close();
  await stack?.stop();
  rmSync(data, { recursive: true, force: true });
});

test("an account is opened, and a welcome is sent", async () => {
  const end = await client.submit(sampleJob());
  expect(end).toMatchObject({ kind: "completed", outputs: { account: expect.any(String) } });
  const { effects } = (await (await fetch(`${stack.addresses.remotes["mail"]}/$effects`)).json()) as {
    effects: object[];
  };
  expect(effects).toHaveLength(1);
});
