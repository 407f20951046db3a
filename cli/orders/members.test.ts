// What is typed as a member is one, and what is none is an error that names it.
import { expect, test } from "vitest";
import { membersOf, patchOf } from "./members.ts";

test("a text, and a value", () => {
  expect(membersOf(["id=S-7", "note=a=b", "count:=3", "none:=null"], "result")).toEqual({
    id: "S-7",
    note: "a=b",
    count: 3,
    none: null,
  });
});

test("a patch reaches into members", () => {
  expect(patchOf(["currency=EUR", "shipTo.city=Rome", "shipTo.zip:=null"], "set")).toEqual({
    currency: "EUR",
    shipTo: { city: "Rome", zip: null },
  });
  const patch = patchOf(["__proto__.polluted=yes"], "set");
  expect([JSON.stringify(patch), ({} as { polluted?: string }).polluted]).toEqual([
    '{"__proto__":{"polluted":"yes"}}',
    undefined,
  ]);
});

test.each(["id", "=x", "id:=", "id:=x"])("%s is none", (given) => {
  expect(() => membersOf([given], "set")).toThrow(`--set ${given}`);
});
