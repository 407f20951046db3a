// Whether a sample has ended as it has to.
import { expect, test } from "vitest";
import type { Sample } from "../common/samples.ts";
import { type Ended, endedAsExpected } from "./follow.ts";

const SAMPLE: Sample = { about: "", ends: "Compensated", attempts: 2, copies: 1, body: {}, orderId: "o-1", faults: [] };

const endedWith = (changes: Partial<Ended>, sample: Partial<Sample> = {}) =>
  endedAsExpected({
    followed: { orderId: "o-1", messageId: "m-1", sentAt: 0, sample: { ...SAMPLE, ...sample } },
    ...{ ending: "Compensated", attempts: 2, faults: [], isIncomplete: false, ...changes },
  });

test("its end and its attempts count; work that is left to a person is taken only where it may be", () => {
  expect(endedWith({})).toBe(true);
  expect(endedWith({ attempts: 1 })).toBe(false);
  const left = { ending: "Error", isIncomplete: true } as const;
  expect(endedWith(left)).toBe(false);
  expect(endedWith(left, { mayNeedPerson: true })).toBe(true);
  expect(endedWith({ ending: "Error" }, { mayNeedPerson: true })).toBe(false);
});
