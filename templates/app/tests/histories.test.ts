// Attempts that began with an earlier version of the code go on with this one: their histories are kept by `npm run histories`.
import { join } from "node:path";
import { replayFiles } from "@scheduler-agent-supervisor/testing";
import { expect, test } from "vitest";

const HISTORIES = join(import.meta.dirname, "histories");

test.each(replayFiles(HISTORIES))("the scheduler goes on with $file", ({ outcome }) => {
  expect(outcome).toEqual({ kind: "same" });
});
