// The lead's contract on Azurite, through the official SDK, and what happens when the storage is away.
import { setTimeout as sleep } from "node:timers/promises";
import type { Container } from "@azure/cosmos";
import { BlobServiceClient } from "@azure/storage-blob";
import { createBlobLeadership } from "@scheduler-agent-supervisor/core/create-app";
import { LeadershipUnavailable } from "@scheduler-agent-supervisor/core/scheduling";
import { createSupervisionReader } from "@scheduler-agent-supervisor/operator/adapters";
import { afterAll, expect, test } from "vitest";
import { leadershipContract } from "../../packages/core/tests/contract/leadership.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const LEASE_MS = 15_000;

let app: TestStack | undefined;
let leases = 0;
afterAll(() => app?.[Symbol.asyncDispose]());

async function azurite(): Promise<TestStack> {
  app ??= await startTestStack({ parts: ["azurite"], host: false });
  return app;
}

function leaseOn(connectionString: string, now: () => number = Date.now) {
  leases += 1;
  const storage = BlobServiceClient.fromConnectionString(connectionString, { retryOptions: { maxTries: 1 } });
  const container = storage.getContainerClient("supervisor");
  const blobName = `leader-${leases}`;
  return {
    blob: container.getBlobClient(blobName),
    heldBy: (name: string) => createBlobLeadership({ container, blobName, leaseMs: LEASE_MS, name, now }),
  };
}

leadershipContract("a blob's lease", async () => {
  const { stack } = await azurite();
  const storage = stack.addresses.azurite?.connectionString ?? "";
  return { lease: () => leaseOn(storage), outlastLease: () => sleep(LEASE_MS + 300) };
});

test("P12 a lease that was broken and taken under its holder is lost, and the lead is by name in the blob", async () => {
  const { stack } = await azurite();
  let clock = Date.now();
  const lease = leaseOn(stack.addresses.azurite?.connectionString ?? "", () => clock);
  const [one, other] = [lease.heldBy("eu/7071"), lease.heldBy("us – west")];
  await one.lead();
  await lease.blob.getBlobLeaseClient().breakLease(0);
  expect(await other.lead()).toEqual({ kind: "leading", epoch: 2, leader: "us – west" });
  expect((await lease.blob.getProperties()).metadata).toMatchObject({ epoch: "2" });
  clock += LEASE_MS / 2;
  expect(await one.stillLeads()).toBe(false);
  expect(await one.lead()).toEqual({ kind: "following", leader: "us – west" });
});

test("whoever looks on reads who leads and since when; nobody before the first leader, and who led last after a release", async () => {
  const { stack } = await azurite();
  let clock = Date.parse("2026-01-31T12:00:00.000Z");
  const lease = leaseOn(stack.addresses.azurite?.connectionString ?? "", () => clock);
  // The audit log has its own tests: here it is not asked.
  const reader = createSupervisionReader(lease.blob, { supervision: {} as Container, audit: {} as Container });
  expect(await reader.leader()).toBeNull();
  const one = lease.heldBy("us – west");
  await one.lead();
  clock += LEASE_MS / 2;
  await one.stillLeads();
  const led = { name: "us – west", epoch: 1, since: "2026-01-31T12:00:00.000Z" };
  const well = { ...led, blocked: null, failing: null };
  expect(await reader.leader()).toEqual({ ...well, leads: true });
  const since = new Date(clock).toISOString();
  await one.report("no index – on dueAt");
  clock += 1000;
  await one.report("another");
  await lease.heldBy("eu").report(null);
  await one.lead();
  expect(await reader.leader()).toEqual({ ...well, leads: true, failing: { since, fault: "no index – on dueAt" } });
  await one.report(null);
  expect(await reader.leader()).toEqual({ ...well, leads: true });
  await one.report("away");
  await one.release();
  expect(await reader.leader()).toMatchObject({ ...led, leads: false, failing: { fault: "away" } });
  await lease.heldBy("eu").lead();
  expect(await reader.leader()).toMatchObject({ name: "eu", epoch: 2, leads: true, failing: null });
});

test("a lease that somebody took without an end is no leader's, and is named", async () => {
  const { stack } = await azurite();
  const lease = leaseOn(stack.addresses.azurite?.connectionString ?? "");
  const reader = createSupervisionReader(lease.blob, { supervision: {} as Container, audit: {} as Container });
  await lease.heldBy("eu").lead();
  await lease.blob.getBlobLeaseClient().breakLease(0);
  await lease.blob.getBlobLeaseClient().acquireLease(-1);
  expect(await lease.heldBy("us").lead()).toMatchObject({ kind: "following" });
  const blocked = expect.stringContaining(lease.blob.name);
  expect(await reader.leader()).toMatchObject({ leads: false, blocked });
  await lease.blob.getBlobLeaseClient().breakLease(0);
  expect(await reader.leader()).toMatchObject({ leads: false, blocked: null });
});

test("P16 without the storage nobody takes the lead; who leads does so for the rest of the lease, and no longer", async () => {
  const running = await azurite();
  let clock = Date.now();
  const lease = leaseOn(running.stack.addresses.azurite?.connectionString ?? "", () => clock);
  const [one, other] = [lease.heldBy("eu"), lease.heldBy("us")];
  await one.lead();
  await running.stack.kill("azurite");
  await expect(other.lead()).rejects.toThrow(LeadershipUnavailable);
  clock += LEASE_MS - 1000;
  expect(await one.stillLeads()).toBe(true);
  clock += 1000;
  expect(await one.stillLeads()).toBe(false);
  await running.stack.restart("azurite");
  expect(await one.lead()).toMatchObject({ kind: "leading", leader: "eu" });
});
