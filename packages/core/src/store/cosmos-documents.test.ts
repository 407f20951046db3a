// The documents of a job as they are written: their ids, and how long they live.
import { expect, test } from "vitest";
import { sampleJob } from "../../tests/jobs.ts";
import { contentOperation, erasingOperations, ttlOf } from "./cosmos-documents.ts";

test("each revision of a job's content is a document of its own, beside the state record", () => {
  const record = { jobId: "o-1", owner: "shop" };
  const operations = [1, 2].map((revision) => contentOperation(record, sampleJob("o-1"), revision, "orderId"));
  expect(operations.map((operation) => "resourceBody" in operation && operation.resourceBody)).toMatchObject([
    { id: "job", jobId: "o-1", orderId: "o-1", owner: "shop" },
    { id: "job-2", jobId: "o-1", orderId: "o-1", owner: "shop" },
  ]);
  expect(erasingOperations("etag", 2).map((operation) => "id" in operation && operation.id)).toEqual([
    "state",
    "state",
    "job",
    "job-2",
  ]);
});

test("P29 a job that is open lives for ever, whatever the container's default; one that is closed for a second at least", () => {
  expect([null, 0, 1500, 86_400_000].map((keepMs) => ttlOf({ keepMs }).value)).toEqual([-1, 1, 2, 86_400]);
});
