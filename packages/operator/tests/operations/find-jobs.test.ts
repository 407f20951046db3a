// Whoever gives a whole job id gets that job without a search; what else matches comes on the next page.

import { createMemoryJobStore } from "@scheduler-agent-supervisor/testing/memory";
import { expect, test } from "vitest";
import { sampleJob, sampleRecord } from "../../../core/tests/jobs.ts";
import { findJobs } from "../../src/operations/find-jobs.ts";
import type { JobQuery } from "../../src/store/job-list.ts";
import { createMemoryJobSearch } from "../memory-job-search.ts";

async function storeOf(...jobIds: string[]) {
  const store = createMemoryJobStore();
  for (const jobId of jobIds) await store.create(sampleJob(jobId), sampleRecord(jobId));
  const lists: unknown[] = [];
  const search = createMemoryJobSearch(store);
  const list = (query: JobQuery) => {
    lists.push(query);
    return search.list(query);
  };
  return { lists, store, search: { list } };
}

const idsOf = ({ jobs }: Awaited<ReturnType<typeof findJobs>>) => jobs.map(({ jobId }) => jobId).sort();

test("a job's whole id: that job at once, then what has it as a part", async () => {
  const store = await storeOf("tea-1", "tea-10", "mug-1");
  const first = await findJobs({ text: "tea-1", limit: 10 }, store);
  expect(idsOf(first)).toEqual(["tea-1"]);
  expect(store.lists).toEqual([]);
  const next = await findJobs({ text: "tea-1", limit: 10, after: first.next }, store);
  expect(idsOf(next)).toEqual(["tea-10"]);
  expect(next.next).toBeUndefined();
});

test.each([
  [{ text: "tea" }, ["tea-1", "tea-10"]],
  [{ text: "tea-1", processState: "Pending" }, ["tea-1", "tea-10"]],
  [{ text: "tea-1", processState: "Error" }, []],
] as const)("%o is a search", async (filter, wanted) => {
  const store = await storeOf("tea-1", "tea-10", "mug-1");
  expect(idsOf(await findJobs({ ...filter, limit: 10 }, store))).toEqual(wanted);
  expect(store.lists).toHaveLength(1);
});
