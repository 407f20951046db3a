// `npm run reset` clears what a stack keeps: what tests leave beside it does not stop it, and what is somebody else's does.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./every-app/root.ts";

function reset(...entries: readonly string[]) {
  const data = mkdtempSync(join(tmpdir(), "reset-"));
  for (const entry of entries) {
    mkdirSync(join(data, entry));
    writeFileSync(join(data, entry, "file"), "");
  }
  const { status, stderr } = spawnSync(process.execPath, ["-C", "sources", "cli/reset.ts", "--data", data], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const left = existsSync(data) ? readdirSync(data) : undefined;
  rmSync(data, { recursive: true, force: true });
  return { status, stderr, left };
}

test("the state goes, with its folder; what tests keep there stays", () => {
  expect(reset("bus", "cosmos", "host")).toEqual({ status: 0, stderr: "", left: undefined });
  expect(reset("bus", "compiled", "last-runs")).toEqual({ status: 0, stderr: "", left: ["compiled", "last-runs"] });
});

test("with anything else in the folder nothing goes, and the error names it", () => {
  const { status, stderr, left } = reset("bus", "mine");
  expect([status, left]).toEqual([1, ["bus", "mine"]]);
  expect(stderr).toContain("mine. Nothing is cleared.");
});
