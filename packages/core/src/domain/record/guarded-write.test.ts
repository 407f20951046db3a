// What a write may name and set is the record's own: what it does not have, or has of another type, does not compile.
import { expect, test } from "vitest";
import { append, remove, set } from "./guarded-write.ts";

test("members of the record, of a step and of its run in one direction, each with a value of its type", () => {
  expect(set(["steps", "payment", "compensation", "retryCount"], 1)).toEqual({
    op: "set",
    path: ["steps", "payment", "compensation", "retryCount"],
    value: 1,
  });
  expect(set(["lockedBy"], null)).toEqual({ op: "set", path: ["lockedBy"], value: null });
  expect(remove(["dueAt"])).toEqual({ op: "remove", path: ["dueAt"] });
  // @ts-expect-error there is no such member
  set(["proccessState"], "Processed");
  // @ts-expect-error the value is of another type
  set(["processState"], 42);
  // @ts-expect-error there is no such state
  set(["processState"], "Finished");
  // @ts-expect-error a step's run has no such member
  set(["steps", "payment", "retries"], 1);
  // @ts-expect-error nothing is deeper than a step's run
  set(["steps", "payment", "compensation", "error", "message"], "no");
  // @ts-expect-error no list
  append(["processState"], "Processed");
  // @ts-expect-error not an entry of the history
  append(["history"], { what: "claimed" });
  // @ts-expect-error no record is without it
  remove(["processState"]);
});
