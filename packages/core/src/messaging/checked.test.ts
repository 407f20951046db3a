import { parseAuditLogQuery, parseSweepQuery } from "@scheduler-agent-supervisor/operator/adapters";
import { expect, test } from "vitest";
import { z } from "zod";
import { check } from "./checked.ts";
import { DEPTH_LIMIT } from "./deep-json.ts";

const schema = z.strictObject({
  id: z.string().min(1).max(5),
  count: z.int().min(1).max(9),
  lines: z.array(z.strictObject({ price: z.number() })).min(1),
  email: z.email(),
  state: z.enum(["open", "shut"]),
  code: z.string().regex(/^[A-Z]{3}$/, "must be three capitals"),
});

test("each fault says where it is and what has to be there", () => {
  const input = { id: "", count: 0.5, lines: [{ price: "1" }], email: "x", state: "ajar", code: "eur", surprise: 1 };
  expect(check(schema, input, "the thing")).toEqual({
    kind: "invalid",
    faults: [
      "id: must not be empty",
      "count: must be a whole number",
      "lines[0].price: must be a number",
      "email: must be an email address",
      "state: must be one of open, shut",
      "code: must be three capitals",
      'the thing: has no "surprise"',
    ],
  });
  expect(check(schema, { id: "123456", count: 10, lines: [], email: 1 }, "the thing")).toMatchObject({
    faults: [
      "id: must be at most 5 characters",
      "count: must be at most 9",
      "lines: must not be empty",
      "email: must be text",
      "state: must be one of open, shut",
      "code: is missing",
    ],
  });
  expect(check(schema, [], "the thing")).toMatchObject({ faults: ["the thing: must be an object"] });
});

test("a body that is nested too deep is told so first, with its other faults, also where any value is taken", () => {
  const deep = (inside: object) => {
    let value: unknown = 1;
    for (let depth = 0; depth <= DEPTH_LIMIT; depth += 1) value = [value];
    return { ...inside, deep: value };
  };
  const fault = `the thing: is nested more than ${DEPTH_LIMIT} levels deep`;
  expect(check(z.looseObject({ id: z.string() }), deep({ id: 7 }), "the thing")).toEqual({
    kind: "invalid",
    faults: [fault, "id: must be text"],
  });
  expect(check(z.unknown(), deep({}), "the thing")).toEqual({ kind: "invalid", faults: [fault] });
});

test("of unknown members ten are named, each by its beginning", () => {
  const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`extra${at}`, at]));
  const faultsOf = (input: object) => {
    const checked = check(z.strictObject({}), input, "the thing");
    return checked.kind === "invalid" ? checked.faults : [];
  };
  expect(faultsOf(unknown(10))[0]).not.toContain("more");
  const [fault = "", ...others] = faultsOf(unknown(50_000));
  expect(others).toEqual([]);
  expect(fault).toContain('"extra9" and 49990 more');
  expect(fault).not.toContain("extra10");
  expect(faultsOf({ ["x".repeat(200_000)]: 1 })[0]?.length).toBeLessThan(300);
});

test("what may be asked of the supervisor, with every fault named", () => {
  const now = Date.parse("2026-01-31T20:00:00Z");
  expect(parseAuditLogQuery([["limit", "5"]], now)).toEqual({
    kind: "valid",
    value: { from: "2026-01-31T08:00:00.000Z", to: "2026-01-31T20:00:00.000Z", limit: 5 },
  });
  const backwards = parseAuditLogQuery([["from", "2026-01-31T21:00:00Z"]], now);
  expect(backwards).toEqual({ kind: "invalid", faults: ["from: must be before to"] });
  const wrong = [
    ["from", "noon"],
    ["limit", "many"],
    ["too", "3"],
    ["too", "4"],
  ] as [string, string][];
  expect(parseAuditLogQuery(wrong, now)).toEqual({
    kind: "invalid",
    faults: [
      "too: is given more than once",
      "from: must be an instant such as 2026-01-31T12:00:00Z",
      "limit: must be a whole number from 1 to 100",
      'the query: has no "too"',
    ],
  });
  expect(parseSweepQuery([["code", "a function's key"]])).toEqual({ kind: "valid", value: {} });
  expect(parseSweepQuery([["force", "1"]])).toMatchObject({ kind: "invalid" });
});
