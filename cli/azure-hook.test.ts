// The hooks as azd calls them: in a process of their own, with azd's values as its environment, and an azd that is not signed in.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { business } from "../shared/business.ts";
import { choiceFor } from "./agents/generated.ts";
import { ROOT } from "./settings.ts";

const folder = mkdtempSync(join(tmpdir(), "azd-"));
beforeAll(() => {
  const azd = join(folder, "azd");
  writeFileSync(
    azd,
    '#!/bin/sh\nif [ "$1" = env ]; then echo \'AZURE_ENV_NAME="shop"\'; else echo "not logged in" >&2; exit 1; fi\n',
  );
  chmodSync(azd, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function hook(name: string, environment: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["-C", "sources", join(ROOT, "cli/azure-hook.ts"), name],
    {
      env: { PATH: `${folder}:${process.env["PATH"]}`, HOME: folder, ...environment },
      encoding: "utf8",
    },
  );
  return { status, output: stdout + stderr };
}

const SUBSCRIPTION = { AZURE_SUBSCRIPTION_ID: "00000000-0000-0000-0000-000000000000" };
/** The services that the app does not start without. */
const needed = business.serviceAgents
  .filter(({ service }) => !service.isOptional)
  .map(({ service }) => service.setting);
const ADDRESSES = Object.fromEntries(needed.map((setting) => [choiceFor(setting), "https://service.example"]));

test("preprovision says what is missing: the subscription, addresses, or a sign-in", () => {
  const blind = hook("preprovision");
  expect(blind).toMatchObject({ status: 1, output: expect.stringContaining("AZURE_SUBSCRIPTION_ID") });
  const unaddressed = hook("preprovision", { ...SUBSCRIPTION, ...ADDRESSES, FRAUD_ENDPOINTS: "" });
  expect(unaddressed).toMatchObject({ status: 1, output: expect.stringContaining("each of FRAUD_ENDPOINTS, as") });
  const stranger = hook("preprovision", { ...SUBSCRIPTION, ...ADDRESSES });
  expect(stranger).toMatchObject({ status: 1, output: expect.stringContaining("azd auth login") });
});

test("predeploy waits for nothing where the deployment names no role", () => {
  expect(hook("predeploy")).toEqual({ status: 0, output: "" });
});

test("postdeploy is left out by SMOKE_TEST", () => {
  expect(hook("postdeploy", { SMOKE_TEST: "false" })).toEqual({ status: 0, output: "" });
});

test("postdeploy ends well, and says why there is no smoke test, where who deploys may not send orders", () => {
  const production = hook("postdeploy", { GRANT_DEVELOPER_ACCESS: "false" });
  expect(production).toMatchObject({ status: 0, output: expect.stringContaining("GRANT_DEVELOPER_ACCESS=false") });
});

test("a hook that there is not is a wrong call", () => {
  expect(hook("postprovision")).toMatchObject({ status: 2, output: expect.stringContaining("preprovision") });
});
