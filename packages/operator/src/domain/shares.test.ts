// How many of each kind are read where not all can be.
import { expect, test } from "vitest";
import { shares } from "./shares.ts";

test.each([
  [[3, 5, 2], 1000, [2, 3, 5]],
  [[5000, 0, 10], 1000, [0, 10, 990]],
  [[5000, 5000, 5000], 1000, [333, 333, 334]],
  [[0, 0, 0], 1000, [0, 0, 0]],
])("of %j no more than %d: %j", (counts, limit, wanted) =>
  expect(
    shares(
      counts.map((count) => ({ count })),
      limit,
    ).map(({ share }) => share),
  ).toEqual(wanted),
);
