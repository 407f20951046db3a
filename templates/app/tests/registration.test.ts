// A registration on the local stack, by the official SDKs: it is processed; and what was done is compensated where a later step can't be done.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JobClient } from "@scheduler-agent-supervisor/client";
import type { Stack } from "@scheduler-agent-supervisor/local";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openClient, sampleRegistration, startApp } from "../tools/stack.ts";

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

/** What the simulated service has done. */
async function effectsOf(service: string): Promise<{ readonly path: string }[]> {
  const { effects } = (await (await fetch(`${stack.addresses.remotes[service]}/$effects`)).json()) as {
    effects: { path: string }[];
  };
  return effects;
}

test("an account is opened, and a welcome is sent", async () => {
  const end = await client.submit(sampleRegistration());
  expect(end).toMatchObject({ kind: "completed", outputs: { account: expect.any(String) } });
  expect(await effectsOf("mail")).toHaveLength(1);
});

test("where no welcome can be sent, the account is closed again", async () => {
  const fault = { kind: "reject", status: 422, message: "no such mailbox", calls: 1 };
  const headers = { "content-type": "application/json" };
  await fetch(`${stack.addresses.remotes["mail"]}/$faults`, { method: "POST", headers, body: JSON.stringify(fault) });
  const end = await client.submit(sampleRegistration());
  expect(end).toMatchObject({ kind: "compensated", reason: expect.stringContaining("no such mailbox") });
});
