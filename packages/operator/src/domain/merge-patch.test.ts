// One edit for many bodies: what RFC 7396 says, and that a patch makes of one body what an operator has made of it.
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyPatch, editBetween, patchBetween } from "./merge-patch.ts";

test.each([
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])("RFC 7396, appendix A: %j with %j", (body, patch, wanted) => {
  expect(applyPatch(body, patch)).toEqual(wanted);
});

test("what an operator has edited in one body is changed in the others, and nothing else", () => {
  const patch = patchBetween(
    { jobId: "1", currency: "euro", address: { city: "Ulm", zip: "1" }, note: "x" },
    { jobId: "1", currency: "EUR", address: { city: "Ulm", zip: "89073" } },
  );
  expect(patch).toEqual({ currency: "EUR", address: { zip: "89073" }, note: null });
  expect(applyPatch({ jobId: "2", currency: "euro", address: { city: "Bonn" }, lines: [1] }, patch)).toEqual({
    ...{ jobId: "2", currency: "EUR", address: { city: "Bonn", zip: "89073" }, lines: [1] },
  });
  expect(patchBetween({ a: [1] }, { a: [1] })).toBeUndefined();
});

test("an edit is the whole body, but for what is not shown: then only what differs", () => {
  expect(editBetween({ a: 1, b: null }, { a: null, b: 2 })).toEqual({ body: { a: null, b: 2 } });
  expect(editBetween({ a: 1, token: "(hidden)" }, { a: 2, token: "(hidden)" })).toEqual({ patch: { a: 2 } });
  expect(editBetween({ a: 1, "(hidden)": "1 member" }, { a: 2, "(hidden)": "1 member" })).toEqual({ patch: { a: 2 } });
  expect(editBetween(undefined, { a: 1 })).toEqual({ body: { a: 1 } });
});

test("a patch between two bodies makes the second of the first", () => {
  const noNull = fc.letrec((tie) => ({
    value: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.integer()), tie("body")),
    body: fc.dictionary(fc.string(), tie("value"), { maxKeys: 4 }),
  })).body;
  fc.assert(
    fc.property(noNull, noNull, (before, after) => {
      const patch = patchBetween(before, after);
      expect(JSON.stringify(patch === undefined ? before : sorted(applyPatch(before, patch)))).toBe(
        JSON.stringify(patch === undefined ? after : sorted(after)),
      );
    }),
  );
});

/** Members in one sequence. */
function sorted(value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([name, member]) => [name, sorted(member)]);
}
