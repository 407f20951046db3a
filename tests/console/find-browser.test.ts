import { expect, test } from "vitest";
import { PACKED } from "../browser/packed.ts";
import { findBrowser } from "./find-browser.ts";

const machine = (platform: NodeJS.Platform, arch: string, files: readonly string[], environment = {}) => ({
  ...{ platform, arch, environment },
  isThere: (path: string) => files.includes(path),
});

test("the browser that CHROME_PATH names is used on every machine, and a wrong path is an error that names it", () => {
  const environment = { CHROME_PATH: "/opt/chrome" };
  expect(findBrowser(machine("linux", "x64", ["/opt/chrome"], environment))).toEqual({ path: "/opt/chrome" });
  expect(() => findBrowser(machine("darwin", "arm64", [], environment))).toThrow("CHROME_PATH is /opt/chrome");
});

test("on Linux x64 the packed one is used where it is there, and else one that is installed", () => {
  expect(findBrowser(machine("linux", "x64", [PACKED, "/usr/bin/chromium"]))).toBe("packed");
  expect(findBrowser(machine("linux", "x64", ["/usr/bin/chromium"]))).toEqual({ path: "/usr/bin/chromium" });
  expect(findBrowser(machine("linux", "arm64", [PACKED]))).toBeUndefined();
  expect(findBrowser(machine("linux", "arm64", ["/usr/bin/chromium"]))).toEqual({ path: "/usr/bin/chromium" });
  const chrome = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
  expect(findBrowser(machine("darwin", "arm64", [chrome]))).toEqual({ path: chrome });
});

test("without one the tests that need it are left out", () => {
  expect(findBrowser(machine("win32", "x64", [], { ProgramFiles: "C:/Program Files" }))).toBeUndefined();
});
