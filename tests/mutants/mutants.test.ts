// The list of planted faults fits the sources: `tests/mutants/main.ts` plants them.
import { expect, test } from "vitest";
import { changed } from "./change.ts";
import { obstaclesTo } from "./fault.ts";
import { FAULTS } from "./faults.ts";

test("each change can be made, and each suite is there", () => {
  expect(FAULTS.flatMap(obstaclesTo)).toEqual([]);
});

test("each fault has a sentence of its own", () => {
  const sentences = FAULTS.map(({ breaks }) => breaks);
  expect(sentences.filter((one, index) => sentences.indexOf(one) !== index)).toEqual([]);
  expect(sentences.filter((one) => !one.endsWith("."))).toEqual([]);
});

test("there are at most 150", () => {
  expect(FAULTS.length).toBeLessThanOrEqual(150);
});

test("P1 to P35 have their faults", () => {
  const rows = new Set(FAULTS.map(({ row }) => row));
  const wanted = Array.from({ length: 35 }, (_, index) => `P${index + 1}`);
  expect(wanted.filter((row) => !rows.has(row))).toEqual([]);
});

const SOURCE = `async function take(order) {
  const read = await find(order.id);
  if (read.isOpen && isOwn(read)) return write({ ...read, holder: "a", ...(read.at && { at: 1 }) });
  await report(order);
  return [read.id, after(read)];
}`;

test.each([
  [["drop call", "report"], "{}\n  return"],
  [["swap", "find", "report"], "{\n  await report(order);\n  if"],
  [["call", "find", "search"], "await search(order.id)"],
  [["never", "isOpen"], "if (false) return"],
  [["negate", "isOwn"], "if (!(read.isOpen && isOwn(read))) return"],
  [["drop term", "isOpen"], "if (true && isOwn(read))"],
  [["drop element", "after"], "[read.id, ...[]]"],
  [["drop member", "at"], 'holder: "a", ...{} }'],
  [["set member", "holder", "null"], "holder: null, "],
  [["operator", "&& 1", "||"], "read.isOpen || isOwn"],
  [["return", "null"], "(order) { return null;\n"],
  [["text", "read.id,", ""], "[ after(read)]"],
] as const)("%j", (change, put) => {
  expect(changed(SOURCE, "take", change)).toContain(put);
});

test("a function that is gone, and a place that is none or not the only one, are named", () => {
  expect(() => changed(SOURCE, "give", ["return", "null"])).toThrow("function give: there are 0");
  expect(() => changed(SOURCE, "take", ["drop call", "find"])).toThrow("drop call find: there are 0");
  expect(() => changed(SOURCE, "take", ["drop term", "read"])).toThrow("drop term read: there are 3");
});
