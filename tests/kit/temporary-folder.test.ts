// A run that is ended by Ctrl-C leaves no folder behind.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { ROOT } from "../../cli/every-app/root.ts";

vi.setConfig({ testTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), "temporary-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const MODULE = "@scheduler-agent-supervisor/testing/stack";

/** Where `os.tmpdir` is this test's folder. */
const start = (code: string) =>
  spawn(process.execPath, ["-C", "sources", "--input-type=module", "--eval", code], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: folder, TEMP: folder, TMP: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });

test.runIf(process.platform !== "win32").each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s ends the process with %i, and its folders are gone", async (signal, code) => {
  const child = start(`import { temporaryFolder } from "${MODULE}";
import { writeFileSync } from "node:fs";
for (const name of ["one-", "two-"]) writeFileSync(temporaryFolder(name) + "/file", "x");
console.log("made");
setInterval(() => undefined, 1000);`);
  await once(child.stdout, "data");
  expect(readdirSync(folder)).toHaveLength(2);
  child.kill(signal);
  expect(await once(child, "exit")).toEqual([code, null]);
  expect(readdirSync(folder)).toEqual([]);
});

test.runIf(process.platform !== "win32")("a process that ends in its own order is left to it", async () => {
  const child = start(`import { temporaryFolder } from "${MODULE}";
const made = temporaryFolder("own-");
process.once("SIGINT", () => setTimeout(() => process.exit(7), 50));
console.log(made);
setInterval(() => undefined, 1000);`);
  const [made] = await once(child.stdout, "data");
  child.kill("SIGINT");
  expect(await once(child, "exit")).toEqual([7, null]);
  expect(existsSync(String(made).trim())).toBe(false);
});

test.runIf(process.platform !== "win32")("npm run node -- tests/load/main.ts leaves nothing after Ctrl-C", async () => {
  const child = spawn(process.execPath, ["-C", "sources", join(ROOT, "tests/load/main.ts"), "--orders", "50"], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: folder },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await expect
    .poll(() => readdirSync(folder).some((name) => name.startsWith("stack-")), { timeout: 60_000 })
    .toBe(true);
  child.kill("SIGINT");
  expect(await once(child, "exit")).toEqual([130, null]);
  expect(readdirSync(folder)).toEqual([]);
});
