// What Azure refuses of functions: their bindings, retry policies, routes and settings.
import { describe, expect, test } from "vitest";
import type { Binding, RegisteredFunction } from "../contract.ts";
import { HOST_REJECTIONS as REJECTIONS } from "../rejections.ts";
import { bindFunctions } from "../settings.ts";
import { httpRoutes } from "../triggers/http.ts";
import { checkFunctions } from "./function-faults.ts";

const http: Binding = { type: "httpTrigger", direction: "in", authLevel: "anonymous", methods: ["GET"] };
const timer: Binding = { type: "timerTrigger", direction: "in", schedule: "0 * * * * *" };
const queue: Binding = { type: "serviceBus", direction: "out", queueName: "q" };
const check = (bindings: object, retryOptions?: object) => (): void =>
  checkFunctions([{ name: "f", bindings, retryOptions } as Parameters<typeof checkFunctions>[0][number]]);

test("what Azure takes", () => {
  const entries = {
    trigger: http,
    $return: { type: "http", direction: "out" },
    queue1: { ...queue, direction: "OUT" },
  };
  expect(
    check(entries, { retryStrategy: "fixedDelay", maxRetryCount: -1, delayInterval: { seconds: 1 } }),
  ).not.toThrow();
  for (const authLevel of ["Function", "admin", "SYSTEM", "", undefined, "0"])
    expect(check({ trigger: { ...http, authLevel } }), String(authLevel)).not.toThrow();
});

describe(REJECTIONS.bindingName.what, () => {
  test.each(["1st", "my_queue", "my-queue", "größe", "a".repeat(129), "$result", ""])("%s", (name) => {
    expect(check({ trigger: timer, [name]: queue })).toThrow(`"${name}" is not a name of a binding`);
  });
});

test(REJECTIONS.bindingNameCase.what, () => {
  expect(check({ trigger: timer, out: queue, Out: queue })).toThrow('"Out" differs from another one only in case');
});

test(REJECTIONS.returnDirection.what, () => {
  expect(check({ trigger: timer, $return: { ...queue, direction: "inout" } })).toThrow("$return is no output");
});

test(REJECTIONS.direction.what, () => {
  expect(check({ trigger: timer, out: { ...queue, direction: "outwards" } })).toThrow('"outwards" is not a direction');
});

test(REJECTIONS.triggers.what, () => {
  expect(check({ trigger: timer, other: http })).toThrow("several triggers");
  expect(check({ trigger: { ...timer, direction: "out" } })).toThrow("its trigger is an output");
});

test(REJECTIONS.authLevel.what, () => {
  expect(check({ trigger: { ...http, authLevel: "anonymus" } })).toThrow('"anonymus" is not an authLevel');
});

describe(REJECTIONS.retry.what, () => {
  const [second, minute] = [{ seconds: 1 }, { seconds: 60 }];
  test.each([
    [{ retryStrategy: "fixedDelay", delayInterval: second }, "no maxRetryCount"],
    [{ retryStrategy: "fixedDelay", maxRetryCount: -2, delayInterval: second }, "below -1"],
    [{ retryStrategy: "fixedDelay", maxRetryCount: 3 }, "no delayInterval"],
    [{ retryStrategy: "fixedDelay", maxRetryCount: 3, delayInterval: { seconds: -1 } }, "negative"],
    [{ retryStrategy: "exponentialBackoff", maxRetryCount: 3, minimumInterval: second }, "lacks"],
    [
      { retryStrategy: "exponentialBackoff", maxRetryCount: 3, minimumInterval: minute, maximumInterval: second },
      "longer than the maximumInterval",
    ],
  ])("%j", (policy, fault) => expect(check({ trigger: timer }, policy)).toThrow(fault));
});

test("the faults of all functions are named at once", () => {
  const faulty = (name: string) => ({ name, bindings: { "1": http } });
  expect(() => checkFunctions([faulty("a"), faulty("b")])).toThrow(/function "a".*function "b"/s);
});

const registered = (name: string, trigger: object): RegisteredFunction =>
  ({ name, triggerName: "trigger", trigger, bindings: { trigger } }) as unknown as RegisteredFunction;

function routeFaults(...triggers: object[]): string[] {
  const faults: string[] = [];
  const functions = triggers.map((trigger, index) => registered(`f${index}`, { ...http, ...trigger }));
  httpRoutes(functions, "api", (text) => faults.push(text));
  return faults;
}

test(REJECTIONS.sameRoute.what, () => {
  const [one, other] = [{ route: "a/{id}" }, { route: "/A/{ID}/", methods: ["POST"] }];
  expect(routeFaults(one, other)).toEqual([]);
  expect(routeFaults(one, { ...other, methods: ["POST", "GET"] })).toEqual([expect.stringContaining('those of "f0"')]);
  expect(routeFaults(one, { ...other, methods: [] })).toHaveLength(1);
});

test(REJECTIONS.ownRoute.what, () => {
  expect(routeFaults({ route: "a/admin" }, { route: "my-runtime" })).toEqual([]);
  for (const route of ["admin", "Administrators/{id}", "/runtime/x"])
    expect(routeFaults({ route }), route).toHaveLength(1);
});

test(REJECTIONS.setting.what, () => {
  const trigger = { ...timer, schedule: "%Every%" };
  expect(bindFunctions([registered("f", trigger)], { Every: "0 * * * * *" }).faults).toEqual([]);
  expect(bindFunctions([registered("f", trigger)], {}).faults).toEqual([expect.stringContaining('setting "Every"')]);
});
