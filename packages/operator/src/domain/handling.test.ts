import { expect, test } from "vitest";
import { changeHandling, type Handling } from "./handling.ts";

const NOW = Date.parse("2026-01-31T12:00:00.000Z");
const claimed: Handling = { claim: { by: "ada", until: "2026-01-31T12:30:00.000Z" }, notes: [] };
const changed = (...given: Parameters<typeof changeHandling>) => {
  const outcome = changeHandling(...given);
  if (outcome.kind === "rejected") throw new Error(outcome.reason);
  return outcome.handling;
};

test("a claim holds for 30 minutes, for its holder for 30 more", () => {
  expect(changed(undefined, { kind: "claim" }, "ada", NOW)).toEqual(claimed);
  const later = changed(claimed, { kind: "claim" }, "ada", NOW + 60_000);
  expect(later.claim?.until).toBe("2026-01-31T12:31:00.000Z");
});

test("nobody takes or releases another's claim before its end; then it is free", () => {
  const reason = "ada claims it until 2026-01-31T12:30:00.000Z";
  for (const kind of ["claim", "release"] as const) {
    expect(changeHandling(claimed, { kind }, "bob", NOW + 30 * 60_000 - 1)).toEqual({ kind: "rejected", reason });
  }
  expect(changed(claimed, { kind: "claim" }, "bob", NOW + 30 * 60_000).claim?.by).toBe("bob");
  expect(changed(claimed, { kind: "release" }, "ada", NOW).claim).toBeNull();
});

test("anybody notes; a note changes no claim, and the last 20 are kept", () => {
  let handling = claimed;
  for (let note = 1; note <= 21; note += 1) {
    handling = changed(handling, { kind: "note", text: `note ${note}` }, "bob", NOW);
  }
  expect(handling.claim).toEqual(claimed.claim);
  expect(handling.notes.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, (_, place) => `note ${place + 2}`));
  expect(handling.notes[0]).toMatchObject({ by: "bob", at: "2026-01-31T12:00:00.000Z" });
});
