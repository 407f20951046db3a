// The contracts of the audit log and of the pauses beside it on the Cosmos DB server, through the official SDK.

import type { BlobClient } from "@azure/storage-blob";
import { createCosmosAuditLog, createCosmosPauseStore } from "@scheduler-agent-supervisor/core/create-app";
import {
  createSupervisionReader,
  type JobAuditPage,
  type StoredAuditEntry,
} from "@scheduler-agent-supervisor/operator/adapters";
import type { ListPage, ListPosition } from "@scheduler-agent-supervisor/operator/domain";
import { afterAll, expect, test } from "vitest";
import { supervisionLogContract } from "../../packages/core/tests/contract/audit-log.ts";
import { pauseStoreContract } from "../../packages/core/tests/contract/pause-store.ts";
import { databaseOf } from "../support/store.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack | undefined;
afterAll(() => app?.[Symbol.asyncDispose]());

function logs() {
  const database = databaseOf(app?.settings ?? {});
  return { supervision: database.container("supervision"), audit: database.container("audit") };
}

supervisionLogContract("cosmos", async () => {
  app = await startTestStack({ parts: ["bus", "cosmos"], host: false });
  return createCosmosAuditLog(logs());
});

pauseStoreContract("cosmos", () => createCosmosPauseStore(logs().supervision));

const DAY = "2026-06-01";

test("what supervisors and operators did is read page by page to its begin, also where many entries have one instant", async () => {
  const { supervision, audit } = logs();
  // Three of each instant, of which the pages cut some.
  const atOf = (number: number) => `${DAY}T12:00:${String(Math.floor(number / 3)).padStart(2, "0")}.000Z`;
  const ids: string[] = [];
  for (let number = 0; number < 30; number += 1) {
    const [container, kind] = number % 2 === 0 ? [supervision, "decision"] : ([audit, "operatorAction"] as const);
    ids.push(`entry-${number}`);
    await container.items.create({ id: `entry-${number}`, day: DAY, kind, jobId: "paged-1", at: atOf(number) });
  }
  const lateReply = { kind: "lateReply", jobId: "paged-1", step: "takePayment", at: `${DAY}T11:00:00.000Z` };
  await supervision.items.create({ ...lateReply, id: "late-1", day: DAY });
  const reader = createSupervisionReader({} as BlobClient, { supervision, audit });

  const ofJob: JobAuditPage[] = [];
  for (let after: ListPosition | undefined; ofJob.length === 0 || after; after = ofJob.at(-1)?.next) {
    ofJob.push(await reader.ofJob("paged-1", 7, after));
  }
  expect(ofJob.map(({ entries }) => entries.length)).toEqual([7, 7, 7, 7, 2]);
  const found = ofJob.flatMap(({ entries }) => entries);
  expect(found.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect(found.map(({ at }) => at)).toEqual(ids.map((_, number) => atOf(29 - number)));
  expect(ofJob.map(({ lateReplies }) => lateReplies.length)).toEqual([1, 0, 0, 0, 0]);

  const period = { from: `${DAY}T11:00:00.000Z`, to: atOf(27) };
  const ofTime: ListPage<StoredAuditEntry>[] = [];
  for (let after: ListPosition | undefined; ofTime.length === 0 || after; after = ofTime.at(-1)?.next) {
    ofTime.push(await reader.page(period, 4, after));
  }
  const inTime = ofTime.flatMap(({ entries }) => entries);
  // Of both logs; what is at the time's end is left out, what is at its begin is not.
  expect(inTime.map(({ id }) => id).toSorted()).toEqual(["late-1", ...ids.slice(0, 27)].toSorted());
  expect(inTime.map(({ at }) => at)).toEqual(
    inTime
      .map(({ at }) => at)
      .toSorted()
      .reverse(),
  );
});
