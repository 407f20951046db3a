import { expect, test } from "vitest";
import { UsageError } from "../every-app/arguments.ts";
import { reasonForNone, sampleChoiceOf } from "./sample-choice.ts";

test("a new stack gets the samples, one that holds orders does not", () => {
  const choice = sampleChoiceOf({});
  expect(reasonForNone(choice, false)).toBeUndefined();
  expect(reasonForNone(choice, true)).toContain("npm start -- --samples");
});

test.each([{ exit: true }, { samples: true }, { exit: true, samples: true }])(
  "%o sends them to any stack",
  (values) => {
    expect(reasonForNone(sampleChoiceOf(values), true)).toBeUndefined();
    expect(reasonForNone(sampleChoiceOf(values), false)).toBeUndefined();
  },
);

test("--no-samples sends them to no stack", () => {
  const choice = sampleChoiceOf({ "no-samples": true });
  expect(reasonForNone(choice, false)).toBe("No sample orders are sent.");
  expect(reasonForNone(choice, true)).toBe("No sample orders are sent.");
});

test.each([
  { "no-samples": true, samples: true },
  { "no-samples": true, exit: true },
])("%o is a wrong call", (values) => {
  expect(() => sampleChoiceOf(values)).toThrow(UsageError);
});
