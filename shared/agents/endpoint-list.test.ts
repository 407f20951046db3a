// The setting that names an agent's endpoints: what it says, and that every fault is named.
import { expect, test } from "vitest";
import { parseEndpoints } from "./endpoint-list.ts";

test("P19 URLs with and without a capacity", () => {
  expect(parseEndpoints("http://one.example:7080, https://two.example/api;capacity=8")).toEqual({
    found: [
      { url: "http://one.example:7080/", capacity: 64 },
      { url: "https://two.example/api/", capacity: 8 },
    ],
    faults: [],
  });
});

test.each([
  ["", ['"" must be an http or https URL']],
  ["http://one.example,", ['"" must be an http or https URL']],
  [
    "ftp://one.example, nowhere, http://two.example?x=1",
    ['"ftp://one.example" must', '"nowhere" must', '"http://two.example?x=1" must'],
  ],
  ["http://one.example,http://one.example/", ["http://one.example/ is named twice"]],
  ["http://one.example;capacity=0;colour=red", ['"capacity=0" of "http://one.example"', '"colour=red" of']],
  ["http://one.example;capacity=1.5, x;capacity=", ['"capacity=1.5" of', '"x" must', '"capacity=" of "x"']],
])("P19 all faults of %j are named", (text, named) => {
  const { faults } = parseEndpoints(text);
  expect(faults).toHaveLength(named.length);
  named.forEach((words, index) => {
    expect(faults[index]).toContain(words);
  });
});
