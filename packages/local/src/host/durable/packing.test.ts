// When histories are packed: few at a time, not while much else is done, and once there are too many all the same.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Database } from "../../database/database.ts";
import type { InstanceStore } from "./instance-store.ts";
import { Packing } from "./packing.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function packingOf(turns: () => number) {
  const writes: number[] = [];
  const db = {
    async write(work: () => number) {
      writes.push(work());
      return writes.at(-1);
    },
  } as unknown as Database;
  const store = { pack: (int: number) => ({ int }), putPack: () => true } as unknown as InstanceStore;
  return { packing: new Packing({ db, store, turns }), writes };
}

test("with nothing else to do all are packed, some in a commit", async () => {
  const { packing, writes } = packingOf(() => 0);
  for (let int = 1; int <= 40; int += 1) packing.add(int);
  await vi.advanceTimersByTimeAsync(1000);
  expect(writes).toEqual([16, 16, 8]);
  expect(packing.packed).toBe(40);
});

test("while many turns run none is packed, unless too many wait", async () => {
  let turns = 0;
  const { packing, writes } = packingOf(() => {
    turns += 500;
    return turns;
  });
  for (let int = 1; int <= 20_000; int += 1) packing.add(int);
  await vi.advanceTimersByTimeAsync(1000);
  expect(writes).toEqual([]);
  packing.add(0);
  await vi.advanceTimersByTimeAsync(250);
  expect(writes).toEqual([16]);
  packing.close();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(writes).toEqual([16]);
});
