// Reads on the Cosmos DB server whose replicas lag behind, by clients that have seen nothing newer: as the processes of an app are.
import { createCosmosJobStore, createCosmosWorkflowRegister } from "@scheduler-agent-supervisor/core/create-app";
import { contentOfWorkflow } from "@scheduler-agent-supervisor/core/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CosmosInProcess, startCosmosInProcess } from "../support/cosmos-in-process.ts";
import { CHAIN, sampleOrder, sampleRecord } from "../support/orders.ts";
import { sampleContainer } from "../support/sample-container.ts";

/** No replica catches up during a test. */
const LAG_MS = 600_000;

let cosmos: CosmosInProcess;
beforeAll(async () => {
  cosmos = await startCosmosInProcess(LAG_MS);
});
afterAll(() => cosmos?.[Symbol.asyncDispose]());

const open = () => createCosmosJobStore(sampleContainer(cosmos.orders()));

test("[scheduler, operator | a read before a final answer, such as late, unknown or taken | the replica has not seen what another process wrote] the record is read again as it stands now; no later read is older", async () => {
  const [one, other] = [open(), open()];
  const record = sampleRecord("stale-1");
  await one.create(sampleOrder("stale-1"), record);
  expect(await other.state("stale-1")).toBeUndefined();
  const found = await other.latest("stale-1");
  if (!found) throw new Error("it is not found");
  expect(found.record).toMatchObject(record);
  expect(await other.state("stale-1")).toEqual(found);

  await one.replace(found, { ...found.record, failureCount: 2 });
  expect((await other.latest("stale-1"))?.record).toEqual((await one.state("stale-1"))?.record);
  expect((await other.state("stale-1"))?.record.failureCount).toBe(2);
});

test("to look for the latest record changes nothing, and finds that there is none", async () => {
  const [one, other] = [open(), open()];
  await one.create(sampleOrder("stale-2"), sampleRecord("stale-2"));
  const before = await one.state("stale-2");
  expect(await other.latest("stale-2")).toEqual(before);
  expect(await one.latest("stale-2")).toEqual(before);
  expect(await other.latest("nobody-s")).toBeUndefined();
});

test("a job's content that another process stored is found; a message that came twice is the stored job's", async () => {
  const [one, other, third] = [open(), open(), open()];
  await one.create(sampleOrder("stale-3"), sampleRecord("stale-3"));
  expect(await other.job("stale-3", 1)).toEqual(sampleOrder("stale-3"));
  expect(await third.create(sampleOrder("stale-3"), sampleRecord("stale-3"))).toMatchObject({ kind: "duplicate" });
});

const openRegister = () =>
  createCosmosWorkflowRegister(
    sampleContainer(cosmos.supervision()).container,
    sampleContainer(cosmos.orders()).container,
  );

test("of two processes that enter a workflow's version, the second one finds what the first one has just entered", async () => {
  const [one, other] = [openRegister(), openRegister()];
  const first = contentOfWorkflow({ ...CHAIN, name: "entered-twice" });
  await one.enter(first);
  const second = { ...first, parts: { ...first.parts, "step more": "another" } };
  expect(await other.enter(second)).toMatchObject({ parts: first.parts });
});

test("a workflow that a newer app has just entered is known", async () => {
  const [one, other] = [openRegister(), openRegister()];
  const newer = { ...CHAIN, name: "brought-later" };
  await one.enter(contentOfWorkflow(newer));
  expect((await other.entered()).filter(({ name }) => name === newer.name)).toEqual([]);
  expect(await other.isNewer("brought-later", [{ name: "an-old-one", version: 1 }])).toBe(true);
});
