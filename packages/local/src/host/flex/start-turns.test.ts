import { expect, test } from "vitest";
import { startTurns } from "./start-turns.ts";

test("no more than so many start at once, in the order in which they asked; a turn that ends twice frees one place", async () => {
  const turn = startTurns(2);
  const begun: number[] = [];
  const ends = [0, 1, 2, 3, 4].map((at) =>
    turn().then((end) => {
      begun.push(at);
      return end;
    }),
  );
  const [first] = await Promise.all(ends.slice(0, 2));
  expect(begun).toEqual([0, 1]);
  first?.();
  first?.();
  await ends[2];
  expect(begun).toEqual([0, 1, 2]);
  (await ends[2])?.();
  (await ends[1])?.();
  await Promise.all(ends);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
});
