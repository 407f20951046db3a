import { expect, test } from "vitest";
import { versionFault } from "./node-version.ts";

test.each([
  ["20.20.2", "This is Node 20.20.2, and Node 22.19.0 or newer is needed: install it from https://nodejs.org."],
  ["22.9.1", "This is Node 22.9.1, and Node 22.19.0 or newer is needed: install it from https://nodejs.org."],
  ["22.19.0", undefined],
  ["24.0.0", undefined],
  ["100.0.0", undefined],
])("Node %s", (present, fault) => {
  expect(versionFault(present, "22.19.0")).toBe(fault);
});
