// What a simulated service says while a commit is on its way to the disk.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { holdFlushes, isSettled } from "../database/held-flushes.ts";
import { startRemotes } from "./start.ts";

test("an effect is neither answered, listed nor reported before it is on the disk", async () => {
  const data = mkdtempSync(join(tmpdir(), "remotes-"));
  const caller = createServer((_, response) => response.end()).listen(0, "127.0.0.1");
  await once(caller, "listening");
  const later = { afterMs: 1, reportTo: "replyTo", result: "reservationId" };
  const resource = { path: "/reservations", idPrefix: "res", actions: [], later };
  const services = [{ name: "inventory", resources: [resource] }];
  const remotes = await startRemotes({ services, data, durability: "full" });
  onTestFinished(async () => {
    await remotes.close();
    caller.close();
    rmSync(data, { recursive: true });
  });
  const url = remotes.services[0]?.url ?? "";
  const held = holdFlushes();
  const reported = once(caller, "request");
  const body = JSON.stringify({ replyTo: `http://127.0.0.1:${(caller.address() as AddressInfo).port}` });
  const answered = fetch(`${url}/reservations`, { method: "POST", headers: { "Idempotency-Key": "k" }, body });
  await held.next();
  const listed = fetch(`${url}/$effects`);
  for (const each of [answered, listed, reported]) expect(await isSettled(each)).toBe(false);
  held.release();
  expect((await answered).status).toBe(202);
  expect(((await (await listed).json()) as { effects: object[] }).effects).toHaveLength(1);
  await reported;
});
