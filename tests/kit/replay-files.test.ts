// Histories in files, as a version before this one wrote them on the local stack, replayed against the code of now.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scheduler } from "@scheduler-agent-supervisor/core/scheduling";
import { replayFiles } from "@scheduler-agent-supervisor/testing";
import type * as df from "durable-functions";
import { afterAll, expect, test } from "vitest";

const HISTORIES = join(import.meta.dirname, "histories");
const folder = mkdtempSync(join(tmpdir(), "replay-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A folder with one file of this content. */
function folderWith(content: unknown): string {
  const own = mkdtempSync(join(folder, "files-"));
  writeFileSync(join(own, "mine.json"), JSON.stringify(content));
  return own;
}

test.each(replayFiles(HISTORIES))("the scheduler goes on with $file", ({ outcome }) => {
  expect(outcome).toEqual({ kind: "same" });
});

test("a scheduler that does something else first is found out, with the file and what differs", () => {
  function* changed(context: df.OrchestrationContext): Generator<df.Task, unknown, unknown> {
    yield context.df.callActivity("greet");
    return yield* scheduler(context);
  }
  const found = replayFiles(HISTORIES, { scheduler: changed });
  expect(found.map(({ file }) => file)).toContain("waits-1.json");
  for (const { outcome } of found)
    expect(outcome).toMatchObject({
      kind: "differs",
      differences: expect.arrayContaining([expect.stringContaining("and is now activity greet")]),
    });
});

test("what `az storage entity query` prints, and a list of events, are histories too", () => {
  const { events } = JSON.parse(readFileSync(join(HISTORIES, "ends-1.json"), "utf8"));
  const items = [...events, { PartitionKey: "ends-1", RowKey: "sentinel" }];
  for (const content of [events, { items, nextMarker: {} }])
    expect(replayFiles(folderWith(content))).toEqual([{ file: "mine.json", outcome: { kind: "same" } }]);
});

test("a folder without histories is no test that passes", () => {
  expect(() => replayFiles(mkdtempSync(join(folder, "none-")))).toThrow("has no histories to replay");
});

test.each([
  [{ any: "thing" }, "neither a list of events nor an object with events"],
  [[], "A history begins with OrchestratorStarted"],
  [[{ EventType: 0, EventId: -1, Timestamp: "", Name: "bulkRun" }], "no orchestrator bulkRun was given"],
])("%j is no history, and the error names the file", (content, fault) => {
  expect(() => replayFiles(folderWith(content))).toThrow(`mine.json can't be replayed: `);
  expect(() => replayFiles(folderWith(content))).toThrow(fault);
});

test("files in folders of the folder are replayed too", () => {
  const own = mkdtempSync(join(folder, "deep-"));
  cpSync(HISTORIES, join(own, "v1"), { recursive: true });
  expect(replayFiles(own).map(({ file }) => file)).toContain(join("v1", "ends-1.json"));
});
