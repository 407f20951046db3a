// A loan on the local stack, whose host is killed while a person is asked: it is paid out all the same, and each service did its work once.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openClient, sampleJob, startApp } from "../tools/stack.ts";

const data = mkdtempSync(join(tmpdir(), "loan-"));
let stack: Awaited<ReturnType<typeof startApp>>;

beforeAll(async () => {
  stack = await startApp({ data, ports: "free" });
});
afterAll(async () => {
  await stack?.stop();
  rmSync(data, { recursive: true, force: true });
});

interface Effect {
  readonly key: string;
  readonly path: string;
  readonly action: string;
}

async function effectsOf(service: string): Promise<readonly Effect[]> {
  const url = `${stack.addresses.remotes[service]}/$effects`;
  return ((await (await fetch(url)).json()) as { effects: Effect[] }).effects;
}

test("the host is killed in the middle: one effect each", async () => {
  await using client = openClient(stack);
  const submitted = client.submit(sampleJob("loan-1"), { timeoutMs: 120_000 });
  await expect.poll(() => effectsOf("office")).toMatchObject([{ path: "/approvals" }]);
  await stack.kill("host");
  await stack.restart("host");
  expect(await submitted).toMatchObject({ kind: "completed", outputs: { payout: expect.stringMatching(/^pay-/) } });
  const made = async (service: string) =>
    (await effectsOf(service)).map(({ path, action }) => `${path} ${action}`).toSorted();
  expect(await made("registry")).toEqual(["/identities create", "/incomes create", "/sanctions create"]);
  expect(await made("bureau")).toEqual(["/scores create"]);
  expect(await made("surveyor")).toEqual(["/appraisals create", "/appraisals create"]);
  expect(await made("office")).toEqual(
    ["approvals", "contracts", "drafts", "letters", "liens"].map((path) => `/${path} create`),
  );
  expect(await made("bank")).toEqual(["/insurances create", "/payouts create", "/reservations create"]);
}, 180_000);
