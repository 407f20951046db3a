// Folders that can be made, and those that cannot: at once, with a sentence.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeFolder } from "./make-folder.ts";

const base = mkdtempSync(join(tmpdir(), "folder-"));
afterAll(() => rmSync(base, { recursive: true }));

test("is made with those above it, and may be there already", () => {
  const folder = join(base, "a b", "c");
  makeFolder(folder);
  makeFolder(folder);
  expect(existsSync(folder)).toBe(true);
});

test("a file in its place, or above it, is named", () => {
  const file = join(base, "file");
  writeFileSync(file, "");
  for (const folder of [file, join(file, "below")])
    expect(() => makeFolder(folder)).toThrow(`${file} is a file, and a folder is needed.`);
});

test.runIf(process.platform === "linux")("where the system takes none, it says so and does not try for ever", () => {
  expect(() => makeFolder("/proc/no-such/state")).toThrow("The folder /proc/no-such cannot be made (ENOENT).");
});
