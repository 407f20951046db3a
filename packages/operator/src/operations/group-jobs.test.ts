// Groups of jobs by cause: what is in one, what in the other, and that there are never too many.
import { expect, test } from "vitest";
import type { OpenJob } from "../store/open-jobs.ts";
import { groupJobs } from "./group-jobs.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");

function failed(jobId: string, message: string, at = "2026-11-22T11:30:00Z", step = "takePayment"): OpenJob {
  const workflow = { name: "job-fulfilment", version: 2 };
  return { jobId, workflow, attempt: 1, error: { kind: "rejected", message, step, at } };
}

test("one cause at one step is a group, the largest first, with when it was seen", () => {
  const { groups, groupOf } = groupJobs(
    [
      failed("a", "card 1 has expired", "2026-11-22T11:30:00Z"),
      failed("b", "nobody delivers there"),
      failed("c", "card 22 has expired", "2026-11-22T09:10:00Z"),
      failed("d", "card 3 has expired", "2026-11-22T11:30:00Z", "capturePayment"),
    ],
    NOW,
  );
  expect(groups.map(({ cause, step, count }) => [cause, step, count])).toEqual([
    ["card # has expired", "takePayment", 2],
    ["nobody delivers there", "takePayment", 1],
    ["card # has expired", "capturePayment", 1],
  ]);
  expect(groups[0]).toMatchObject({ firstSeen: "2026-11-22T09:10:00Z", lastSeen: "2026-11-22T11:30:00Z" });
  expect(groups[0]?.hours).toHaveLength(24);
  expect([groups[0]?.hours[23], groups[0]?.hours[21]]).toEqual([1, 1]);
  expect(groupOf.get("a")).toBe(groupOf.get("c"));
  expect(groupOf.get("a")).not.toBe(groupOf.get("d"));
});

test("how the last call ended makes no cause of its own", () => {
  const messages = ["HTTP 503: overloaded", "no answer before complete-by; before that HTTP 503: overloaded"];
  const { groups } = groupJobs(
    messages.map((message, number) => failed(`job-${number}`, message)),
    NOW,
  );
  expect(groups.map(({ cause, count }) => [cause, count])).toEqual([["HTTP 503: overloaded", 2]]);
});

test("what says nothing, and all beyond fifty groups, is in the other group, last", () => {
  const words = (at: number) => String.fromCharCode(97 + (at % 26)).repeat(1 + Math.floor(at / 26));
  const many = Array.from({ length: 60 }, (_, at) => failed(`job-${at}`, `cause ${words(at)}`));
  const { groups, groupOf } = groupJobs([...many, failed("wordless", " ")], NOW);
  expect(groups).toHaveLength(51);
  expect(groups.at(-1)).toMatchObject({ id: "other", kind: null, count: 11 });
  expect(groupOf.size).toBe(61);
  expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(61);
});

test("a group has the same id wherever and whenever it is made", () => {
  const [one] = groupJobs([failed("a", "card 1 has expired")], NOW).groups;
  const [other] = groupJobs([failed("z", "card 99 has expired")], NOW + 1e7).groups;
  expect(one?.id).toBe(other?.id);
  expect(one?.id).toMatch(/^[0-9a-f]{16}$/);
});

test("nothing has no groups", () => {
  expect(groupJobs([], NOW).groups).toEqual([]);
});
