import { expect, test } from "vitest";
import { counted } from "./counted.ts";

test.each([
  [counted(0, "step"), "0 steps"],
  [counted(1, "step"), "1 step"],
  [counted(2000, "step"), "2,000 steps"],
  [counted(1, "try", "tries"), "1 try"],
  [counted(2, "try", "tries"), "2 tries"],
  [counted(1, "step", "steps", false), "1+ steps"],
])("%s", (text, expected) => {
  expect(text).toBe(expected);
});
