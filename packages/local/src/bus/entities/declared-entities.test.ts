import { describe, expect, test } from "vitest";
import { BUS_REJECTIONS as REJECTIONS } from "../rejections.ts";
import { parseRule } from "../rules/rule.ts";
import { readDeclared } from "./declared-entities.ts";

test("properties may be absent, and entities may have the notes that their owner names", () => {
  const noted = { name: "in", owner: "shop", listeners: ["app"] };
  const topics = [{ ...noted, subscriptions: [noted] }];
  const read = { name: "in", properties: {} };
  expect(readDeclared({ queues: [noted], topics, notes: ["owner", "listeners"] })).toEqual({
    queues: [read],
    topics: [{ ...read, subscriptions: [read] }],
  });
  expect(() => readDeclared({ queues: [noted], notes: ["owner"] })).toThrow('Unrecognized key: "listeners"');
  expect(() => readDeclared({ queues: [], notes: ["properties"] })).toThrow('"properties" is a member with an effect');
  expect(() => readDeclared({ queues: [], notes: "owner" as never })).toThrow("a list of the names");
});

describe(REJECTIONS.unknownMember.what, () => {
  test.each([
    ["a queue", { queues: [{ name: "q", propertes: {} }] }, '"propertes"\n  → at queues[0]'],
    [
      "the properties of a queue",
      { queues: [{ name: "q" }, { name: "r", properties: { lockDurtion: "PT1M" } }] },
      '"lockDurtion"\n  → at queues[1].properties',
    ],
    [
      "the properties of a topic, which no queue shares",
      { topics: [{ name: "t", properties: { lockDuration: "PT1M" } }] },
      '"lockDuration"\n  → at topics[0].properties',
    ],
    ["a topic", { topics: [{ name: "t", subscription: [] }] }, '"subscription"\n  → at topics[0]'],
    [
      "the properties of a subscription",
      { topics: [{ name: "t", subscriptions: [{ name: "s", properties: { requireSession: true } }] }] },
      '"requireSession"\n  → at topics[0].subscriptions[0].properties',
    ],
    [
      "a rule",
      { topics: [{ name: "t", subscriptions: [{ name: "s", rules: [{ name: "r", filter: {} }] }] }] },
      '"filter"\n  → at topics[0].subscriptions[0].rules[0]',
    ],
  ])("%s", (_, declared, fault) => {
    expect(() => readDeclared(declared as Parameters<typeof readDeclared>[0])).toThrow(`Unrecognized key: ${fault}`);
  });
});

test.each([
  ["the rule", { filterTyp: "CorrelationFilter" }, "filterTyp"],
  ["its SQL filter", { sqlFilter: { sqlExpression: "1=1", sql: "" } }, "sql"],
  [
    "its correlation filter",
    { filterType: "CorrelationFilter", correlationFilter: { label: "x", subject: "y" } },
    "subject",
  ],
  ["its action", { action: { sqlExpresion: "SET a = 1" } }, "sqlExpresion"],
])("an unknown member of a rule's properties is named: %s", (_, properties, member) => {
  expect(parseRule("r", properties, 0)).toContain(`Unrecognized key: "${member}"`);
});

test("a correlation filter beside another type of filter is a fault: it would select everything", () => {
  expect(parseRule("r", { correlationFilter: { label: "x" } }, 0)).toContain("filterType has to be CorrelationFilter");
});

test("what ARM writes of a filter and has no effect is known", () => {
  const sqlFilter = { sqlExpression: "1=1", requiresPreprocessing: false, compatibilityLevel: 20 };
  const correlationFilter = { label: "x", requiresPreprocessing: false };
  expect(parseRule("r", { filterType: "SqlFilter", sqlFilter }, 0)).toHaveProperty("name", "r");
  expect(parseRule("r", { filterType: "CorrelationFilter", correlationFilter }, 0)).toHaveProperty("name", "r");
  const alone = { filterType: "CorrelationFilter", correlationFilter: { requiresPreprocessing: false } };
  expect(parseRule("r", alone, 0)).toContain("needs at least one condition");
});
