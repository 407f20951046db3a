// The waves of an action on many jobs, when it stops itself, and what counts as an end.
import { expect, test } from "vitest";
import { afterWave, countsOf, endOf, waveOf } from "./bulk.ts";

test("the waves are 1, 10, 100 and then 100 each, and cover every job once", () => {
  const bounds = [0, 1, 2, 3, 4].map((wave) => waveOf(wave, 250));
  expect(bounds).toEqual([
    { from: 0, to: 1 },
    { from: 1, to: 11 },
    { from: 11, to: 111 },
    { from: 111, to: 211 },
    { from: 211, to: 250 },
  ]);
  expect(waveOf(1, 1)).toEqual({ from: 1, to: 1 });
});

const result = (end: "well" | "same" | "other") => ({ jobId: "a", outcome: "done", reason: null, end }) as const;
const counts = (well: number, same: number, other = 0) =>
  countsOf([
    ...Array.from({ length: well }, () => result("well")),
    ...Array.from({ length: same }, () => result("same")),
    ...Array.from({ length: other }, () => result("other")),
  ]);

test("it stops where the same cause comes back in more than a fifth of a wave", () => {
  expect(afterWave(0, 500, counts(0, 1))).toEqual({ kind: "stop", share: 1 });
  expect(afterWave(1, 500, counts(8, 2))).toEqual({ kind: "next" });
  expect(afterWave(1, 500, counts(7, 3))).toEqual({ kind: "stop", share: 0.3 });
  expect(afterWave(1, 500, counts(0, 0, 10))).toEqual({ kind: "next" });
  expect(afterWave(1, 11, counts(10, 0))).toEqual({ kind: "done" });
  expect(afterWave(0, 500, counts(0, 0))).toEqual({ kind: "next" });
});

const before = { cause: "x", direction: "forward" } as const;

test("an extension has done what it should as soon as it is made: it waits for no end", () => {
  expect(endOf("extend", "Processing", undefined, before, "x")).toBe("well");
  expect(endOf("extend", "Pending", "expired", before, "x")).toBe("well");
  expect(endOf("extend", "Processed", undefined, before, "x")).toBe("well");
  expect(endOf("extend", "Error", "expired", before, "y")).toBe("other");
});

test("a job's end is what the action wanted, the same fault, or another; before that there is none", () => {
  expect(endOf("resubmit", "Processing", undefined, before, "x")).toBeNull();
  expect(endOf("resubmit", "Pending", "rejected", before, "x")).toBeNull();
  expect(endOf("resubmit", "Processed", undefined, before, "y")).toBe("well");
  expect(endOf("resubmit", "Error", "rejected", before, "x")).toBe("same");
  expect(endOf("resubmit", "Error", "rejected", before, "y")).toBe("other");
  expect(endOf("resubmit", "Compensated", "rejected", before, "y")).toBe("other");
  for (const end of ["Compensated", "Cancelled"] as const) {
    const continued = { ...before, direction: "compensate" } as const;
    expect(endOf("resubmit", end, "rejected", continued, "y")).toBe("well");
    expect(endOf("resubmit", end, "rejected", before, "y")).toBe("other");
  }
  expect(endOf("compensate", "Compensated", "rejected", before, "x")).toBe("well");
  expect(endOf("compensate", "Cancelled", "cancelled", before, "y")).toBe("other");
  expect(endOf("compensate", "Error", "compensationIncomplete", before, "y")).toBe("other");
  expect(endOf("cancel", "Cancelled", "cancelled", before, "x")).toBe("well");
  expect(endOf("resubmit", "Error", "resolved", before, "x")).toBe("well");
});
