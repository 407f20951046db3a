// Route templates as ASP.NET reads them: which values a constraint takes, and which templates are none.
import { describe, expect, test } from "vitest";
import { HOST_REJECTIONS as REJECTIONS } from "../rejections.ts";
import { compileRoute, matchRoute } from "./routes.ts";

const LEAST_INT = "-2147483648";
const LEAST_LONG = "-9223372036854775808";

test.each([
  ["int", ["1", "-1", "+1", "2147483647", LEAST_INT], ["2147483648", "-2147483649", "9999999999", "1.0", "1e3", "x"]],
  ["long", ["9223372036854775807", LEAST_LONG], ["9223372036854775808", "9999999999999999999", "1.5"]],
  ["min(2)", ["2", "9"], ["1", "2.5", "x", ""]],
  ["max(2)", ["2", "-9"], ["3", "1.5", "x"]],
  ["range(1,3)", ["1", "3"], ["0", "4", "2.5"]],
  [
    "guid",
    ["0f8fad5bd9cb469fa16570867728950e", "{0f8fad5b-d9cb-469f-a165-70867728950e}"],
    ["{0f8fad5b-d9cb-469f-a165-70867728950e", "0f8fad5b-d9cb469fa165-70867728950e", "x"],
  ],
  ["datetime", ["2026-11-26", "2026-11-26 10:30", "11/26/2026"], ["1", "order 1", "2026-13-01", "26/11/2026"]],
  ["bool", ["true", "FALSE"], ["1", "yes"]],
  ["file", ["a.txt"], ["a", "a."]],
  ["nonfile", ["a", "a."], ["a.txt"]],
  ["regex(^[a-z]+$)", ["abc", "ABC"], ["1"]],
])("%s takes %j and not %j", (constraint, taken, others) => {
  const route = compileRoute(`items/{id:${constraint}}`, ["GET"], "target");
  const isTaken = (value: string) => matchRoute([route], "GET", `/items/${encodeURIComponent(value)}`) !== undefined;
  expect(taken.filter((value) => !isTaken(value))).toEqual([]);
  expect(others.filter(isTaken)).toEqual([]);
});

describe(REJECTIONS.route.what, () => {
  test.each([
    ["a//b", "follow"],
    ["{id}/{ID}", "more than once"],
    ["report-{id}/{id}", "more than once"],
    ["{a}{b}", "two parameters"],
    ["{*rest}/more", "nothing can follow"],
    ["{*rest?}", "cannot be optional"],
    ["{id=1?}", "optional and has a default"],
    ["a?b", "has a ?"],
    ["{id:odd}", "route constraint"],
  ])("%s is no template", (template, fault) => {
    expect(() => compileRoute(template, ["GET"], "target")).toThrow(fault);
  });
});

test.each(["", "a", "/a/", "{id}", "a/{id:int?}", "{a=1}/{*rest}", "report-{id}.json", "{file}.{extension}"])(
  "%s is a template",
  (template) => expect(() => compileRoute(template, ["GET"], "target")).not.toThrow(),
);
