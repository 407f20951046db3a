import { expect, test } from "vitest";
import { longWaits, unreadQueues } from "./wait-causes.ts";

const READ = {
  asOf: "2026-01-31T12:01:00.000Z",
  queues: [
    {
      queue: "jobs",
      waits: [
        { cause: "notTaken", since: "2026-01-31T12:00:29.000Z" },
        { cause: "NewCause", since: "2026-01-31T11:00:00.000Z" },
      ],
    },
    { queue: "scheduler", waits: [{ cause: "notTaken", since: "2026-01-31T12:00:30.000Z" }] },
    { queue: "replies", error: "Error: away" },
  ],
};

test("a wait of more than half a minute is named, the earliest first; a shorter one is usual", () => {
  expect(longWaits(READ)).toEqual([
    { queue: "jobs", since: "2026-01-31T11:00:00.000Z", words: "Messages in jobs wait for NewCause" },
    {
      queue: "jobs",
      since: "2026-01-31T12:00:29.000Z",
      words: "Messages in jobs wait for a function that takes and completes them",
    },
  ]);
});

test("a queue that could not be read is named with its fault", () => {
  expect(unreadQueues(READ)).toEqual(["The queue replies could not be read: Error: away"]);
});
