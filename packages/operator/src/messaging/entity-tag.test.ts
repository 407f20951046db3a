import { entityTag, isWantedVersion, type WantedVersion } from "@scheduler-agent-supervisor/core/store";
import { expect, test } from "vitest";
import { parseIfMatch } from "./entity-tag.ts";

function wanted(header: string | null): WantedVersion {
  const parsed = parseIfMatch(header);
  if (parsed.kind === "invalid") throw new Error(parsed.faults.join());
  return parsed.value;
}

test("a version in quotes stays as it is, another gets them", () => {
  expect(entityTag('"0b00-4d"')).toBe('"0b00-4d"');
  expect(entityTag("7")).toBe('"7"');
});

test.each([
  [null, true],
  ["*", true],
  [' "7" ', true],
  ['"6", "7"', true],
  ['"6"', false],
  ['W/"7"', false],
  ['""', false],
] as const)("If-Match %s of version 7: %s", (header, matches) => {
  expect(isWantedVersion("7", wanted(header))).toBe(matches);
});

test.each(["7", '"7', "", '"6" "7"', "null"])("If-Match %s is rejected", (header) => {
  expect(parseIfMatch(header)).toEqual({ kind: "invalid", faults: [expect.stringContaining("If-Match")] });
});
