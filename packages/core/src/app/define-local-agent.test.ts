// A rule is a step: its result is recorded like any other, and what it reads is what it declares.
import { expect, test } from "vitest";
import { z } from "zod";
import { bounds } from "../../tests/bounds.ts";
import { type Video, videos } from "../../tests/videos.ts";
import { defineApp } from "./define-app.ts";
import { reject, rule } from "./define-local-agent.ts";

const stored = z.object({ blobId: z.string() });
const grade = rule({
  name: "grade",
  sees: ({ jobId, minutes }: Video) => ({ jobId, minutes }),
  reads: { keepFile: stored, encode: z.array(stored) },
  item: z.object({ language: z.string() }),
  result: z.object({ grade: z.string() }),
  run: ({ job, results, item }) => {
    if (job.minutes < 1) return reject(`${job.jobId} is empty`);
    const parts = results.encode?.map((one) => one.blobId) ?? [];
    return { grade: [job.minutes, results.keepFile?.blobId, ...parts, item?.language].join(" ") };
  },
});
const app = defineApp({ ...videos, agents: [...videos.agents, grade] });
const agent = app
  .createAgents({}, { now: () => 0 }, { store: null as never, now: () => 0, send: null as never })
  .get("grade");
const within = bounds("2026-01-01T12:00:00Z");
const request = { results: {}, idempotencyKey: "key", compensates: null };

test("P5 a rule is given what it declares, and its result is the step's", async () => {
  const encode = [{ blobId: "b" }, { blobId: "c" }];
  const results = { keepFile: { blobId: "a", more: 1 }, encode, other: { x: 1 } };
  const job = app.contentFor("grade", { jobId: "v-1", minutes: 3, title: "Tea" } as unknown as Video);
  expect(job).toEqual({ jobId: "v-1", minutes: 3 });
  const item = { language: "en", more: 1 };
  expect(await agent?.call("decide", { ...request, job, results, item }, within)).toEqual({
    kind: "done",
    result: { grade: "3 a b c en" },
    endpoint: "this app",
    because: "its agent has no service",
  });
});

test("P9 a rule rejects the job with its reason", async () => {
  const job = { jobId: "v-1", minutes: 0 };
  expect(await agent?.call("decide", { ...request, job }, within)).toMatchObject({
    kind: "rejected",
    message: "v-1 is empty",
  });
});

test("a rule that may not be taken up any more does not run", async () => {
  const late = { ...within, takeUp: async () => undefined };
  expect(await agent?.call("decide", { ...request, job: { jobId: "v-1", minutes: 3 } }, late)).toEqual({
    kind: "notTakenUp",
  });
});
