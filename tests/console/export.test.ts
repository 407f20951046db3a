// A search as a file: what stands in a cell, and how many pages are read.
import { expect, test } from "vitest";
import type { JobSummary } from "../../packages/operator/console/src/api/contract.ts";
import { csvOf, EXPORT_LIMIT, readAllPages } from "../../packages/operator/console/src/export.ts";

function orderOf(orderId: string, message?: string): JobSummary {
  const at = "2026-01-31T12:00:00.000Z";
  const error = message === undefined ? null : { kind: "rejected" as const, message, step: "pay", agent: null, at };
  return {
    jobId: orderId,
    workflow: { name: "order-fulfilment", version: 3 },
    processState: error ? "Error" : "Processed",
    direction: "forward",
    attempt: 2,
    failureCount: 0,
    priority: "normal",
    createdAt: at,
    updatedAt: at,
    error,
    steps: { pay: "Failed" },
  };
}

const messageCell = (message: string) =>
  csvOf([orderOf("a", message)])
    .split("\r\n")[1]
    ?.split(",")
    .slice(14)
    .join(",");

test.each([
  ['=HYPERLINK("http://evil.example")', `"'=HYPERLINK(""http://evil.example"")"`],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "'\t=1"],
  ["\tno", "'\tno"],
  ["\n=1", `"'\n'=1"`],
  ["＝1", "'＝1"],
  ["＋1", "'＋1"],
  ["－1", "'－1"],
  ["＠SUM(A1)", "'＠SUM(A1)"],
  ["﹦1", "'﹦1"],
  ["﹢1", "'﹢1"],
  ["﹣1", "'﹣1"],
  ["﹫SUM(A1)", "'﹫SUM(A1)"],
  ["−1", "'−1"],
  ["no\t=1", "no\t'=1"],
  ["  =1", "'  =1"],
  ["\u00a0\u200b=1", "'\u00a0\u200b=1"],
  ["no;=1", `"no;'=1"`],
  ["no; ＝1;+2", `"no;' ＝1;'+2"`],
  ["no\n=1", `"no\n'=1"`],
  ["no; thanks", '"no; thanks"'],
  ["card 1 = card 2", "card 1 = card 2"],
  ["no, thanks", '"no, thanks"'],
])("in CSV the text %j stands as %j: a spreadsheet runs nothing", (message, cell) => {
  expect(messageCell(message)).toBe(cell);
});

test("CSV has a row for the names and one for each order", () => {
  const [names, failed, processed, end] = csvOf([orderOf("a", "no\nmoney"), orderOf("b")]).split("\r\n");
  expect(names).toMatch(/^\uFEFFjobId,workflow,workflowVersion,state,/);
  expect(failed).toMatch(/^a,order-fulfilment,3,Error,.*,rejected,pay,,2026-01-31T12:00:00.000Z,"no\nmoney"$/s);
  expect(processed).toMatch(/^b,order-fulfilment,3,Processed,.*,,,,,$/);
  expect(end).toBe("");
});

test("all pages are read, up to the bound, and how many so far is said", async () => {
  const read = (total: number) => async (limit: number, continuation?: string) => {
    const from = Number(continuation ?? 0);
    const orders = Array.from({ length: Math.min(limit, total - from) }, (_, place) => orderOf(`o-${from + place}`));
    const next = from + orders.length;
    return { jobs: orders, ...(next < total && { continuation: String(next) }) };
  };
  const progress: number[] = [];
  const few = await readAllPages(read(450), (count) => progress.push(count));
  expect(progress).toEqual([200, 400, 450]);
  expect(few).toMatchObject({ isAll: true, jobs: { length: 450 } });
  const many = await readAllPages(read(EXPORT_LIMIT + 1), () => {});
  expect(many).toMatchObject({ isAll: false, jobs: { length: EXPORT_LIMIT } });
  expect(await readAllPages(read(EXPORT_LIMIT), () => {})).toMatchObject({ isAll: true });
});
