import { expect, test } from "vitest";
import { shown, spreadOf } from "./median.ts";

test.each<[number[], string]>([
  [[3, 1, 2], "2 (1 to 3)"],
  [[4, 1, 2, 30], "3 (1 to 30)"],
  [[7], "7"],
  [[1.005, 2.999, 2.004], "2 (1 to 3)"],
])("%j is %s", (values, text) => {
  expect(shown(spreadOf(values))).toBe(text);
});

test("nothing measured is no number", () => {
  expect(spreadOf([]).median).toBeNaN();
});
