// Which process serves what, and the errors of a wrong choice.
import { expect, test } from "vitest";
import { type DescribedApp, parseInstances, rolesOf } from "./groups.ts";

const one = (name: string, group: string, triggerType: string, isDisabled = false) => ({
  name,
  group,
  triggerType,
  isDisabled,
});
const app: DescribedApp = {
  usesDurable: true,
  functions: [
    one("submission", "submission", "serviceBusTrigger"),
    one("list", "http", "httpTrigger"),
    one("inspect", "http", "httpTrigger"),
    one("claim", "durable", "activityTrigger"),
    one("sweep", "sweep", "timerTrigger"),
    one("off", "off", "serviceBusTrigger", true),
  ],
};
const namesOf = (counts: Record<string, number>) => rolesOf(app, counts, "http://here").map(({ instance }) => instance);

test("a process for each group, as many as asked for, none for a function that is switched off", () => {
  expect(namesOf({})).toEqual(["durable", "http", "submission", "sweep"]);
  expect(namesOf({ submission: 2, durable: 3 })).toEqual([
    "durable",
    "durable.2",
    "durable.3",
    "http",
    "submission",
    "submission.2",
    "sweep",
  ]);
});

test("an app that only calls the durable client has a durable process all the same", () => {
  const caller = { usesDurable: true, functions: [one("list", "http", "httpTrigger")] };
  expect(rolesOf(caller, {}, "").map(({ group }) => group)).toEqual(["durable", "http"]);
  expect(rolesOf({ ...caller, usesDurable: false }, {}, "").map(({ group }) => group)).toEqual(["http"]);
});

test("every fault of the numbers is named", () => {
  expect(() => namesOf({ sweep: 2, off: 1, none: 1 })).toThrow(
    [
      "--instances sweep: a timer function runs in one process",
      "--instances off: the app has no such group; it has durable, http, submission, sweep",
      "--instances none: the app has no such group; it has durable, http, submission, sweep",
    ].join("\n"),
  );
});

test("numbers are read from text", () => {
  expect(parseInstances("submission=2, durable=12")).toEqual({ submission: 2, durable: 12 });
  for (const text of ["", "submission", "submission=0", "submission=two", "a=1,,b=2"]) {
    expect(() => parseInstances(text), text).toThrow("group=number");
  }
});
