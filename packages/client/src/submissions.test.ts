// Which submission a rejection ends, and whose a job's statuses are.

import { createHash } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { contentDigest } from "./content-digest.ts";
import type { JobRequest } from "./job-messages.ts";
import { type Submission, Submissions } from "./submissions.ts";

let submissions: Submissions;
let published: string[];
beforeEach(() => {
  submissions = new Submissions();
  published = [];
});

const submission = (id: string, content: string): Submission => ({
  id,
  jobId: "job-1",
  content,
  onRejected: () => void published.push(`${id} rejected`),
  onMayJoin: () => void published.push(`${id} joins`),
});

const reject = (submissionId?: string) =>
  submissions.reject({
    messageId: "m",
    jobId: "job-1",
    attempt: 0,
    status: "Rejected",
    at: "",
    ...(submissionId && { submissionId }),
  });

test("a rejection ends its own submission, once, and the job's statuses stay the first one's", () => {
  expect(submissions.add(submission("first", "a"))).toBe(true);
  expect(submissions.add(submission("again", "a"))).toBe(true);
  expect(submissions.add(submission("other", "b"))).toBe(false);
  reject("other");
  reject("other");
  reject("unknown");
  reject();
  expect(published).toEqual(["other rejected"]);
  expect(submissions.add(submission("later", "b"))).toBe(false);
});

test.each<[string, (first: Submission) => void]>([
  ["rejected", () => reject("first")],
  ["not sent", (first) => submissions.withdraw(first)],
])("where the first is %s, the job's statuses are the next one's", (_, end) => {
  const first = submission("first", "a");
  submissions.add(first);
  submissions.add(submission("other", "b"));
  end(first);
  expect(published).toContain("other joins");
  expect(submissions.add(submission("again", "b"))).toBe(true);
});

test("two jobs that the app takes for one have one digest", async () => {
  const job = { jobId: "job-1", paymentToken: "tok", customer: { id: "c" } } as JobRequest;
  const same = { customer: { id: "c " }, priority: "normal", paymentToken: "tok", jobId: "job-1" } as JobRequest;
  const digest = await contentDigest(job, "usual");
  expect(await contentDigest(same, "usual")).toBe(digest);
  expect(await contentDigest({ ...job, ...({ workflow: undefined } as object) }, "usual")).toBe(digest);
  expect(await contentDigest({ ...job, priority: "high" }, "usual")).not.toBe(digest);
});

test("the digest is that of RFC 8785, where names are whole numbers too", async () => {
  const text = '{"10":{"10":"","9":1},"9":"€","jobId":"a","priority":"normal","workflow":"usual"}';
  const sent = { jobId: "a ", "9": "€", "10": { "9": 1, "10": "" } };
  const expected = createHash("sha256").update(text).digest("hex");
  expect(await contentDigest(sent as unknown as JobRequest, "usual")).toBe(expected);
});
