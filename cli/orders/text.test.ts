// The texts of a terminal.
import { expect, test } from "vitest";
import { causesText } from "./text.ts";

test("a cause stands apart from the number of its messages", () => {
  const one = { cause: "orderId: must be 1 to 80 letters", count: 1 };
  expect(causesText({ causes: [one], isAll: true })).toBe('1 message with "orderId: must be 1 to 80 letters"');
  const others = { cause: null, count: 2 };
  expect(causesText({ causes: [one, others], isAll: false })).toBe(
    '1+ messages with "orderId: must be 1 to 80 letters"; 2+ messages for other reasons',
  );
});
