// What a container is asked, and what its answers say, where an app has a noun of its own.
import type { Container, Database } from "@azure/cosmos";
import { expect, test, vi } from "vitest";
import { JOB } from "../domain/noun.ts";
import { namedContainer, namedDatabase } from "./named-container.ts";

const PARCEL = { one: "parcel", many: "parcels" };
const STORED = { id: "state", parcelId: "p-1", parcelRevision: 1 };
const READ = { id: "state", jobId: "p-1", jobRevision: 1 };

const answer = async () => ({ resource: { ...STORED }, etag: "1" });
const fetched = async () => ({ resources: [{ ...STORED }, 7], continuationToken: "next" });
const own = {
  read: vi.fn(answer),
  replace: vi.fn(answer),
  patch: vi.fn(answer),
  delete: vi.fn(async () => ({})),
  create: vi.fn(answer),
  upsert: vi.fn(answer),
  batch: vi.fn(async () => ({
    code: 200,
    result: [{ statusCode: 200, resourceBody: { ...STORED } }, { statusCode: 204 }],
  })),
  query: vi.fn(() => ({ hasMoreResults: () => true, fetchNext: fetched, fetchAll: fetched })),
};
const raw = { id: "parcels", items: own, item: () => own } as unknown as Container;
const { items, item } = namedContainer(raw, PARCEL);

test("documents are written in the app's names and read in the core's", async () => {
  expect(await item("state", "p-1").read()).toMatchObject({ resource: READ, etag: "1" });
  for (const write of [items.create, items.upsert]) expect(await write(READ)).toMatchObject({ resource: READ });
  expect(own.create).toHaveBeenCalledWith(STORED);
  expect(own.upsert).toHaveBeenCalledWith(STORED);
  const options = { accessCondition: { type: "IfMatch", condition: "1" } };
  expect(await item("state", "p-1").replace(READ, options)).toMatchObject({ resource: READ });
  expect(own.replace).toHaveBeenCalledWith(STORED, options);
});

test("a patch names the app's members, and only the first of a path", async () => {
  const operations = [
    { op: "set", path: "/jobRevision", value: 2 },
    { op: "set", path: "/steps/job/state", value: "Running" },
  ] as const;
  await item("state", "p-1").patch({ operations: [...operations], condition: 'from c where c["attempt"] = 1' });
  expect(own.patch).toHaveBeenCalledWith({
    condition: 'from c where c["attempt"] = 1',
    operations: [{ ...operations[0], path: "/parcelRevision" }, operations[1]],
  });
});

test("each operation of a batch, and each of its answers", async () => {
  const batch = await items.batch(
    [
      { operationType: "Create", resourceBody: { id: "parcel", jobId: "p-1", job: { jobId: "as sent" } } as never },
      {
        operationType: "Patch",
        id: "parcel",
        resourceBody: { operations: [{ op: "set", path: "/job/token", value: "" }] },
      },
      { operationType: "Delete", id: "state" },
    ],
    "p-1",
  );
  expect(own.batch).toHaveBeenCalledWith(
    [
      { operationType: "Create", resourceBody: { id: "parcel", parcelId: "p-1", parcel: { jobId: "as sent" } } },
      {
        operationType: "Patch",
        id: "parcel",
        resourceBody: { operations: [{ op: "set", path: "/parcel/token", value: "" }] },
      },
      { operationType: "Delete", id: "state" },
    ],
    "p-1",
  );
  expect(batch.result).toEqual([{ statusCode: 200, resourceBody: READ }, { statusCode: 204 }]);
});

test("a query asks for the app's members; what it finds are documents or values", async () => {
  const query = { query: "SELECT c.jobId FROM c WHERE c.jobId = @jobId AND c.steps.job = 1", parameters: [] };
  const pages = items.query(query, { maxItemCount: 1 });
  expect(own.query).toHaveBeenCalledWith(
    { query: "SELECT c.parcelId FROM c WHERE c.parcelId = @jobId AND c.steps.job = 1", parameters: [] },
    { maxItemCount: 1 },
  );
  expect(pages.hasMoreResults()).toBe(true);
  expect(await pages.fetchNext()).toEqual({ resources: [READ, 7], continuationToken: "next" });
  expect((await pages.fetchAll()).resources).toEqual([READ, 7]);
});

test("an app that has the core's noun works on the database itself", () => {
  const database = { container: vi.fn() } as unknown as Database;
  expect(namedDatabase(database, JOB)).toBe(database);
});
