import { expect, test } from "vitest";
import { inWordsOf } from "./words.ts";

const ORDERS = { one: "purchase order", many: "purchase orders" };

test.each([
  ["There is no job nowhere.", "There is no purchase order nowhere."],
  ["The job has changed since it was looked at.", "The purchase order has changed since it was looked at."],
  ["Jobs of one cause", "Purchase orders of one cause"],
  [
    "extend is for a job that is Pending; this one is Error",
    "extend is for a purchase order that is Pending; this one is Error",
  ],
  ["one of many jobs.", "one of many purchase orders."],
  // A member's name, a quotation, an id.
  ['resubmit it without "job"', 'resubmit it without "job"'],
  ["job: currency: must be an ISO 4217 code", "job: currency: must be an ISO 4217 code"],
  ["There is no job job-1.", "There is no purchase order job-1."],
  ["in /jobs/job-1 and jobs.csv", "in /jobs/job-1 and jobs.csv"],
])("%s", (said, shown) => expect(inWordsOf(ORDERS, said)).toBe(shown));
