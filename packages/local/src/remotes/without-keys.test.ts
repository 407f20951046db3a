// A simulated service that knows no idempotency keys: it makes as many as it is asked for, and cancels each once.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startRemotes } from "./start.ts";

test("it books twice when it is asked twice, and cancels one booking once", async () => {
  const data = mkdtempSync(join(tmpdir(), "without-keys-"));
  const resources = [{ path: "/bookings", idPrefix: "fl", actions: [{ name: "cancel", status: "cancelled" }] }];
  const remotes = await startRemotes({ services: [{ name: "flight", keys: false, resources }], data });
  try {
    const url = remotes.services[0]?.url ?? "";
    const post = async (path: string) => {
      const response = await fetch(`${url}${path}`, { method: "POST", body: "{}" });
      return (await response.json()) as { id: string; status: string };
    };
    const [first, second] = [await post("/bookings"), await post("/bookings")];
    expect(second.id).not.toBe(first.id);
    const cancelled = { id: first.id, status: "cancelled" };
    expect([await post(`/bookings/${first.id}/cancel`), await post(`/bookings/${first.id}/cancel`)]).toEqual([
      cancelled,
      cancelled,
    ]);
    const { effects } = (await (await fetch(`${url}/$effects`)).json()) as { effects: { action: string }[] };
    expect(effects.map(({ action }) => action)).toEqual(["create", "create", "cancel"]);
  } finally {
    await remotes.close();
    rmSync(data, { recursive: true, force: true });
  }
});
