// The contract of the operators' pauses and of what is known of paused agents: every implementation passes this one suite.

import { describe, expect, test } from "vitest";
import type { PauseStore } from "../../src/store/pause-store.ts";

const AT = "2026-06-01T12:00:00.000Z";
const UNTIL = "2026-06-01T13:00:00.000Z";
const shipping = { kind: "agent", name: "shipping" } as const;
const pause = { ...shipping, by: "ada", at: AT, reason: "they move house" };

export function pauseStoreContract(name: string, open: () => PauseStore): void {
  describe(`pause store: ${name}`, () => {
    test("P26 what is paused is paused once, and resumed once", async () => {
      const store = open();
      expect(await store.add(pause)).toBe(true);
      expect(await store.add({ ...pause, by: "eve" })).toBe(false);
      expect(await store.all()).toMatchObject([pause]);
      expect(await store.remove(shipping)).toBe(true);
      expect(await store.remove(shipping)).toBe(false);
      expect(await store.all()).toEqual([]);
    });

    test("P26 each pause that is over is known, beside the newest watch of its agent", async () => {
      const store = open();
      const watch = { kind: "watch", name: "shipping", at: AT, seenAt: null, absentAt: AT } as const;
      await store.watch({ ...watch, absentAt: null }, Date.parse(AT));
      await store.watch(watch, Date.parse(AT));
      const rests = [AT, UNTIL].map((at) => ({ kind: "rest", name: "shipping", at, until: UNTIL }) as const);
      for (const rest of [...rests, ...rests]) await store.rested(rest);
      const all = await store.all();
      expect(all).toHaveLength(3);
      expect(all).toEqual(expect.arrayContaining([watch, ...rests].map((one) => expect.objectContaining(one))));
    });
  });
}
