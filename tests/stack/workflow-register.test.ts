// The register of workflows' versions on the Cosmos DB server, and what the app makes of it at start.
import { createCosmosWorkflowRegister } from "@scheduler-agent-supervisor/core/create-app";
import { contentOfWorkflow } from "@scheduler-agent-supervisor/core/domain";
import type { WorkflowRegister } from "@scheduler-agent-supervisor/core/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { workflows } from "../../shared/workflows/workflows.ts";
import { storedRecord } from "../stored-records/stored-records.ts";
import { adaptApp } from "../support/adapted-app.ts";
import { CHAIN } from "../support/orders.ts";
import { containerOf, databaseOf, seenByAll } from "../support/store.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack;
let register: WorkflowRegister;
/** The store's clock counts seconds. */
let startedAtS: number;
beforeAll(async () => {
  app = await startTestStack();
  const supervision = databaseOf(app.settings).container("supervision");
  startedAtS = Math.floor(Date.now() / 1000);
  register = createCosmosWorkflowRegister(supervision, containerOf(app.settings));
  await seenByAll();
});
afterAll(() => app?.[Symbol.asyncDispose]());

test("the app has entered its workflows when it started", async () => {
  const entered = await register.entered();
  // The test's app has one workflow more.
  expect(entered).toHaveLength(workflows.length + 1);
  for (const workflow of workflows) expect(entered).toContainEqual(contentOfWorkflow(workflow));
});

test("of several that enter a version at once, the first one's content stands", async () => {
  const one = contentOfWorkflow({ ...CHAIN, name: "at-once" });
  const other = { ...one, parts: { ...one.parts, "step more": "another" } };
  const stand = await Promise.all([one, other, one, other].map((content) => register.enter(content)));
  expect(new Set(stand.map(({ parts }) => parts["step more"])).size).toBe(1);
});

test("a workflow that was entered after this app's own is a newer app's, and one from before is not", async () => {
  const later = contentOfWorkflow({ ...CHAIN, name: "later" });
  await expect.poll(() => Math.floor(Date.now() / 1000) > startedAtS).toBe(true);
  await register.enter(later);
  expect(await register.isNewer("later", workflows)).toBe(true);
  expect(await register.isNewer("later", [...workflows, later])).toBe(false);
  expect(await register.isNewer("nowhere", workflows)).toBe(false);
  expect(await register.isNewer("returns", [later])).toBe(false);
});

test("orders are counted by the version that they need, of any schema version, and ended ones are not", async () => {
  const workflow = { name: "counted", version: 7 };
  const records = [storedRecord("pending"), storedRecord("in hand"), storedRecord("processed")];
  const expired = { ...storedRecord("error"), jobId: "counted-expired", error: { kind: "expired" } };
  for (const record of [...records, expired]) {
    await containerOf(app.settings).items.create({
      ...record,
      ...{ id: "state", orderId: record.jobId, workflow, dueAt: "2999-01-01" },
    });
  }
  await seenByAll();
  const jobsOf = await register.jobs();
  expect(jobsOf(workflow)).toEqual({ pending: 1, processing: 1, inError: 1 });
  expect(jobsOf({ ...workflow, version: 8 })).toEqual({ pending: 0, processing: 0, inError: 0 });
});

test("an operator sees which versions orders need", async () => {
  const response = await app.call("api/workflows");
  const { workflows } = (await response.json()) as { workflows: unknown[] };
  const none = { pending: 0, processing: 0, inError: 0 };
  expect(workflows).toContainEqual({
    name: CHAIN.name,
    version: CHAIN.version,
    state: "mayBeRetired",
    jobs: none,
  });
  expect(workflows).toContainEqual({ name: "at-once", version: CHAIN.version, state: "retired", jobs: none });
});

test("an app whose workflow was edited without a new version does not start", async () => {
  await app.stack.kill("host");
  const supervision = databaseOf(app.settings).container("supervision");
  const entry = supervision.item(`workflow:${CHAIN.name}:${CHAIN.version}`, "workflows");
  await entry.patch([{ op: "set", path: "/parts/step more", value: "as it was" }]);
  await expect(app.stack.restart("host")).rejects.toThrow();
});

test("an app whose workflow asks an agent that it does not have does not start, and says so", async () => {
  const [first, ...others] = CHAIN.steps;
  if (!first) throw new Error("no step");
  using adapted = adaptApp([{ ...CHAIN, steps: [{ ...first, agent: "nobody" }, ...others] }]);
  await expect(startTestStack({ appDir: adapted.dir })).rejects.toThrow("no agent nobody; there are inventory");
});
