import { describe, expect, test } from "vitest";
import { BUS_REJECTIONS as REJECTIONS } from "../rejections.ts";
import { readDeclared } from "./declared-entities.ts";
import { NO_TOPICS } from "./entity-path.ts";

test("properties may be absent, and entities may have the notes that their owner names", () => {
  const noted = { name: "in", owner: "shop", listeners: ["app"] };
  expect(readDeclared({ queues: [noted], notes: ["owner", "listeners"] })).toEqual({
    queues: [{ name: "in", properties: {} }],
  });
  expect(() => readDeclared({ queues: [noted], notes: ["owner"] })).toThrow('Unrecognized key: "listeners"');
  expect(() => readDeclared({ queues: [], notes: ["properties"] })).toThrow('"properties" is a member with an effect');
  expect(() => readDeclared({ queues: [], notes: "owner" as never })).toThrow("a list of the names");
});

test("topics are refused by name", () => {
  expect(() => readDeclared({ topics: [] } as object)).toThrow(NO_TOPICS);
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
      "the properties of a topic",
      { queues: [{ name: "t", properties: { supportOrdering: true } }] },
      '"supportOrdering"',
    ],
  ])("%s", (_, declared, fault) => {
    expect(() => readDeclared(declared as Parameters<typeof readDeclared>[0])).toThrow(`Unrecognized key: ${fault}`);
  });
});
