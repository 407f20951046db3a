// All messages of a cause: one first, then more; it stops where they come back.
import { expect, test } from "vitest";
import { messageWaves } from "./message-waves.ts";
import { type MessagesDone, runMessageWaves } from "./run-message-waves.ts";

const numbers = Array.from({ length: 40 }, (_, at) => String(at + 1));
const cause = { id: "cause", cause: "currency", count: 40, oldestAt: null, numbers };

/** A queue whose messages come back, or do not. */
async function ran(action: "resend" | "discard", comesBack: (sent: number) => boolean, stopAfter = 99) {
  let there = [...numbers];
  let last = 100;
  const sizes: number[] = [];
  const said: MessagesDone[] = [];
  const done = await runMessageWaves(cause, action, {
    causes: async () => ({ queue: "q", isAll: true, causes: [{ ...cause, numbers: there }] }),
    async wave(wanted) {
      sizes.push(wanted.length);
      there = there.filter((one) => !wanted.includes(one));
      for (const one of wanted) {
        if (!comesBack(Number(one))) continue;
        last += 1;
        there.push(String(last));
      }
      const outcome = action === "resend" ? ("resent" as const) : ("discarded" as const);
      return { results: wanted.map((sequenceNumber) => ({ sequenceNumber, outcome, reason: null })) };
    },
    wait: async () => undefined,
    isStopped: () => sizes.length >= stopAfter,
    said: (now) => said.push(now),
  });
  return { done, sizes, said };
}

test("one, then 10, then 25 at a time", () => {
  expect(messageWaves(40)).toEqual([
    { from: 0, to: 1 },
    { from: 1, to: 11 },
    { from: 11, to: 36 },
    { from: 36, to: 40 },
  ]);
  expect(messageWaves(0)).toEqual([]);
});

test("what does not come back is done", async () => {
  const { done, sizes } = await ran("resend", () => false);
  expect(done).toMatchObject({ state: "done", handled: 40, total: 40, back: 0 });
  expect(sizes).toEqual([1, 10, 25, 4]);
});

test("the first that comes back stops it; so do more than a fifth of a later wave, and not fewer", async () => {
  expect((await ran("resend", () => true)).done).toMatchObject({ state: "back", handled: 1, back: 1 });
  expect((await ran("resend", (sent) => sent === 2 || sent === 3)).done).toMatchObject({ state: "done", back: 2 });
  const { done, sizes } = await ran("resend", (sent) => sent > 1 && sent < 5);
  expect([done.state, done.back, sizes]).toEqual(["back", 3, [1, 10]]);
});

test("a discard waits for nothing, and an operator can stop it", async () => {
  expect((await ran("discard", () => false)).done).toMatchObject({ state: "done", handled: 40 });
  expect((await ran("discard", () => false, 2)).done).toMatchObject({ state: "stopped", handled: 11 });
});
