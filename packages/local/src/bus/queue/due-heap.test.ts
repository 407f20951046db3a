import { expect, test } from "vitest";
import { DueHeap } from "./due-heap.ts";

function drain(heap: DueHeap<number>, now: number): number[] {
  const taken: number[] = [];
  for (let item = heap.take(now); item !== undefined; item = heap.take(now)) taken.push(item);
  return taken;
}

test("items come in the order of their instants, none before its own", () => {
  const heap = new DueHeap<number>(() => true);
  const instants = Array.from({ length: 500 }, (_, index) => (index * 7919) % 500);
  for (const instant of instants) heap.push(instant, instant);
  expect(drain(heap, 249)).toEqual(Array.from({ length: 250 }, (_, index) => index));
  heap.push(3, 3);
  expect(drain(heap, Number.POSITIVE_INFINITY)).toEqual([3, ...Array.from({ length: 250 }, (_, index) => index + 250)]);
});

test("unwanted items never come, however many there are", () => {
  const unwanted = new Set<number>();
  const heap = new DueHeap<number>((item) => !unwanted.has(item));
  for (let item = 0; item < 1000; item += 1) heap.push(item, item);
  for (let item = 0; item < 1000; item += 1) {
    if (item % 100 === 0) continue;
    unwanted.add(item);
    heap.drop();
  }
  expect(drain(heap, 2000)).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900]);
});
