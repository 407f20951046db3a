// Whether npm's registry can be reached, asked of an npm that answers as the real one does.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { hasRegistry } from "./npm.ts";

const folder = mkdtempSync(join(tmpdir(), "npm-"));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void vi.unstubAllEnvs());

test.each([
  ["npm error code ENOTFOUND", 1, false],
  ["npm error code ECONNREFUSED", 1, false],
  // Others may have a registry without this package.
  ["npm error code E404", 1, true],
  ["", 0, true],
])("npm that prints %j and ends with %i: %s", (stderr, code, expected) => {
  vi.spyOn(console, "error").mockReturnValue(undefined);
  const file = join(folder, "npm.cjs");
  writeFileSync(file, `console.error(${JSON.stringify(stderr)}); process.exitCode = ${code};`);
  vi.stubEnv("npm_execpath", file);
  expect(hasRegistry()).toBe(expected);
});
