// The console's texts have the app's words in the place of job.
import { afterEach, expect, test } from "vitest";
import { OVERVIEW } from "../../packages/operator/console/src/words/overview.ts";
import { nameJobs, say } from "../../packages/operator/console/src/words/say.ts";

afterEach(() => nameJobs({ one: "job", many: "jobs" }));

test("before the session is known a job is called so", () => {
  expect(OVERVIEW.states).toBe("Jobs by state");
  nameJobs(undefined);
  expect(OVERVIEW.states).toBe("Jobs by state");
});

test("then as the app calls it, also where the name has several words", () => {
  nameJobs({ one: "order", many: "orders" });
  expect(OVERVIEW.states).toBe("Orders by state");
  nameJobs({ one: "purchase order", many: "purchase orders" });
  expect(OVERVIEW.states).toBe("Purchase orders by state");
  expect(OVERVIEW.timesOf).toBe("Of the purchase orders that were processed in the last hour, at most 200.");
});

test("what is put into a text stays as it is", () => {
  nameJobs({ one: "order", many: "orders" });
  expect(say`{Jobs} of ${"{jobs} job"}: ${2}`).toBe("Orders of {jobs} job: 2");
});
