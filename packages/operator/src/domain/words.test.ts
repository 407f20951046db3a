import { expect, test } from "vitest";
import { inWordsOf } from "./words.ts";

const LOANS = { one: "home loan", many: "home loans" };

test.each([
  ["There is no job nowhere.", "There is no home loan nowhere."],
  ["The job has changed since it was looked at.", "The home loan has changed since it was looked at."],
  ["Jobs of one cause", "Home loans of one cause"],
  [
    "extend is for a job that is Pending; this one is Error",
    "extend is for a home loan that is Pending; this one is Error",
  ],
  ["one of many jobs.", "one of many home loans."],
  // A member's name, a quotation, an id.
  ['resubmit it without "job"', 'resubmit it without "job"'],
  ["job: currency: must be an ISO 4217 code", "job: currency: must be an ISO 4217 code"],
  ["There is no job job-1.", "There is no home loan job-1."],
  ["in /jobs/job-1 and jobs.csv", "in /jobs/job-1 and jobs.csv"],
])("%s", (said, shown) => expect(inWordsOf(LOANS, said)).toBe(shown));
