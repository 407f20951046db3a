// Who may switch faults of the simulated services: no page of a browser, which can't send the header.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FAULT_HEADERS } from "./fault-key.ts";
import { type RunningRemotes, startRemotes } from "./start.ts";

let data: string;
let remotes: RunningRemotes;
let inventory: string;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "fault-key-"));
  const resources = [{ path: "/reservations", idPrefix: "res", actions: ["release"] }];
  remotes = await startRemotes({ services: [{ name: "inventory", resources }], data });
  inventory = remotes.services[0]?.url ?? "";
});

afterAll(async () => {
  await remotes.close();
  await rm(data, { recursive: true });
});

test.each([
  {},
  { "content-type": "text/plain" },
  { authorization: "" },
  { authorization: "Basic bG9jYWw=" },
  { authorization: "LOCAL" },
])("a fault is switched by nobody without the key: %j", async (headers) => {
  const fault = JSON.stringify({ kind: "slow", delayMs: 1, match: { orderId: "other" } });
  const on = await fetch(`${inventory}/$faults`, { method: "POST", headers: FAULT_HEADERS, body: fault });
  const { id } = (await on.json()) as { id: string };
  const switches = [
    ["POST", "$faults"],
    ["DELETE", "$faults"],
    ["DELETE", `$faults/${id}`],
  ] as const;
  for (const [method, path] of switches) {
    const body = method === "POST" ? JSON.stringify({ kind: "down" }) : null;
    const response = await fetch(`${inventory}/${path}`, { method, headers, body });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({
      code: "needs-key",
      message: expect.stringContaining("authorization: local"),
    });
  }
  expect(await (await fetch(`${inventory}/$faults`)).json()).toMatchObject({ faults: [{ id, kind: "slow" }] });
  const create = { method: "POST", headers: { "Idempotency-Key": id, "content-type": "application/json" }, body: "{}" };
  expect((await fetch(`${inventory}/reservations`, create)).status).toBe(201);
  await fetch(`${inventory}/$faults`, { method: "DELETE", headers: FAULT_HEADERS });
});
