import { expect, test } from "vitest";
import { counted } from "./counted.ts";

test.each([
  [counted(0, "order"), "0 orders"],
  [counted(1, "order"), "1 order"],
  [counted(2000, "order"), "2,000 orders"],
  [counted(1, "try", "tries"), "1 try"],
  [counted(2, "try", "tries"), "2 tries"],
  [counted(1, "order", "orders", false), "1+ orders"],
])("%s", (text, expected) => {
  expect(text).toBe(expected);
});
