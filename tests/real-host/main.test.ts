// `npm run node -- tests/real-host/main.ts` where there is no such host, and where it is called wrongly.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findHost } from "./host-folder.ts";

function realHost(...args: string[]) {
  const main = join(import.meta.dirname, "main.ts");
  return spawnSync(process.execPath, ["-C", "sources", main, ...args], { encoding: "utf8" });
}

test.each([[[]], [["--host", "/there/is/no/such/folder"]]])("%j: one sentence, and nothing is done", (args) => {
  const { stdout, status } = realHost(...args);
  expect(stdout).toMatch(/^Skipped: there is no real Functions host to compare with \(.+\)\.\n$/);
  expect(status).toBe(0);
});

test("an unknown phase is rejected with the usage, though there is no host", () => {
  const { stderr, status } = realHost("--only", "burst,holidays");
  expect(stderr).toContain("--only takes some of samples,burst,slow,kills,figures");
  expect(status).toBe(2);
});

test("a folder is a host with its program, extensions and scripts, which may be in a folder of their own", () => {
  const dir = mkdtempSync(join(tmpdir(), "no-host-"));
  try {
    const put = (...path: string[]) => {
      mkdirSync(join(dir, ...path.slice(0, -1)), { recursive: true });
      writeFileSync(join(dir, ...path), "");
    };
    put("host", "Microsoft.Azure.WebJobs.Script.WebHost.dll");
    put("ext", "extensions.json");
    const scripts = `there is no ${join(dir, "make-app.sh")}, no ${join(dir, "run.sh")}`;
    expect(findHost(dir, undefined)).toEqual({ kind: "missing", reason: scripts });
    put("kit", "make-app.sh");
    put("kit", "run.sh");
    expect(findHost(dir, join(dir, "kit"))).toEqual({
      kind: "found",
      host: { dir, makeApp: join(dir, "kit", "make-app.sh"), run: join(dir, "kit", "run.sh") },
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
