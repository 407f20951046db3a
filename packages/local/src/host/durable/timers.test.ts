// The heap of timers: order, and taking out of the middle.
import { expect, test } from "vitest";
import { randomFrom } from "../../random.ts";
import { type Timer, Timers } from "./timers.ts";

const SEED = 20260101;

test("timers fire in order, never early, and cancelled ones not at all", async () => {
  const timers = new Timers();
  const next = randomFrom(SEED);
  const base = Date.now() + 20;
  const fired: number[] = [];
  const early: number[] = [];
  const added: Timer[] = [];
  for (let n = 0; n < 500; n += 1) {
    const at = base + Math.floor(next() * 60);
    const fire = () => {
      fired.push(at);
      if (Date.now() < at) early.push(at);
    };
    added.push(timers.add(at, fire));
  }
  const kept = added.filter(() => next() < 0.5);
  for (const timer of added) if (!kept.includes(timer)) timers.cancel(timer);
  expect(timers.size).toBe(kept.length);
  await expect.poll(() => timers.size).toBe(0);
  expect(fired).toEqual(kept.map(({ at }) => at).sort((a, b) => a - b));
  expect(early).toEqual([]);
});

test("a timer beyond what setTimeout can count does not fire at once", async () => {
  const timers = new Timers();
  let fired = 0;
  const far = timers.add(Date.now() + 2 ** 40, () => {
    fired += 1;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(fired).toBe(0);
  timers.cancel(far);
  timers.cancel(far);
  expect(timers.size).toBe(0);
  timers.close();
});
