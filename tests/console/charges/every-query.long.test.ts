// Whatever the API, the console, the supervisor and the gauges ask of the store: with 50,000 orders that are over it visits no more than with 1,000.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { OPERATIONS } from "@scheduler-agent-supervisor/operator/openapi";
import { afterAll, expect, test } from "vitest";
import { orderFulfilment } from "../../../shared/workflows/order-fulfilment.ts";
import { adaptApp } from "../../support/adapted-app.ts";
import { fill } from "./fill.ts";
import type { Spent } from "./meter.ts";
import { startMeteredStack } from "./metered-stack.ts";

const FEW = 1000;
const MANY = 50_000;
/** Of request units: documents differ in size by the digits of their ids. */
const MOST_MORE = 3;
/** These end at so many jobs, of which the smaller store has fewer in that state: in request units. */
const ENDS_SOON: readonly (readonly [begin: string, most: number])[] = [
  ["job-count", 15],
  ["jobs?limit=50&state=Error&workflow=none", 200],
  // Two minutes of the last hour may have ended since the timer ran: two counts more.
  ["gauges", 30],
];

const folder = mkdtempSync(join(tmpdir(), "every-query-"));
// With a deadline, so that the supervisor searches for those that have passed.
const deadline = { completeWithin: "P14D", onExpired: "compensate" } as const;
const adapted = adaptApp(orderFulfilment.map((workflow) => ({ ...workflow, deadline })));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  adapted[Symbol.dispose]();
});

const SEARCHES = [
  "",
  "workflow=order-fulfilment",
  "workflow=order-fulfilment&version=1",
  "workflow=none",
  "state=Processed",
  "state=Processed&workflow=none",
  "state=Pending",
  "state=Processing",
  "state=Error",
  "state=Error&kind=rejected",
  "state=Error&kind=resolved",
  "state=Error&workflow=none",
  "q=stored-1",
  "q=no-order-has-this",
  "step=takePayment",
  "key=customer:nobody",
  "waitsFor=agent:payment",
  "waitsFor=step:takePayment",
  "waitsFor=person",
  "waitsFor=time",
  ...["received", "sent", "changed", "ended"].map((time) => `timeOf=${time}&from=2026-01-01T00:00:00.000Z`),
  ...["received", "sent", "changed", "ended"].map((time) => `timeOf=${time}&to=2020-01-01T00:00:00.000Z`),
];

/** What stands behind a route: several questions, of which each may be another query. */
const ASKED: { readonly [route: string]: readonly string[] } = {
  jobs: SEARCHES.map((search) => `jobs?limit=50&${search}`),
  "job-count": SEARCHES.map((search) => `job-count?${search}`),
  "jobs/{jobId}": ["jobs/stored-1", "jobs/failed-1"],
  "jobs/{jobId}/audit": ["jobs/stored-1/audit"],
  "job-contract": ["job-contract?workflow=order-fulfilment"],
  "result-contract/{agent}/{operation}": ["result-contract/payment/authorize"],
  bulk: ["bulk", "bulk?open=true"],
  // A point read, of a job of the caller's own.
  "submissions/{jobId}": [],
  "bulk/{bulkId}": [],
  "dead-letters/{queue}/{sequenceNumber}": [],
  "discarded-messages/{id}": [],
  "dead-letter-causes": ["dead-letter-causes?queue=jobs"],
  "held-up/jobs": ["held-up/jobs?limit=50"],
  "attention/jobs": ["attention/jobs", "attention/jobs?limit=50"],
};
/** What the desk has read it answers for five seconds without asking again. */
const REMEMBERED_MS = 6000;
const TIMERS = ["supervisor", "gauges"];

const paths = Object.keys(OPERATIONS).flatMap((operation) => {
  const [method = "", route = ""] = operation.split(" ");
  return method === "GET" ? (ASKED[route] ?? [route]) : [];
});

async function spentByAll(): Promise<ReadonlyMap<string, Spent>> {
  await using metered = await startMeteredStack({ data: folder, appDir: adapted.dir });
  const found = new Map<string, Spent>();
  let before = metered.spent;
  const note = (what: string, after: Spent) => {
    found.set(what, {
      requests: after.requests - before.requests,
      charge: after.charge - before.charge,
      documents: after.documents - before.documents,
    });
    before = after;
  };
  for (const path of paths) {
    const response = await metered.app.call(`api/${path}`);
    expect(response.status, `${path}: ${await response.text()}`).toBe(200);
    note(path, metered.spent);
  }
  // What was just read is remembered; and a later look is not the first one.
  await sleep(REMEMBERED_MS);
  await (await metered.app.call("api/attention")).arrayBuffer();
  note("attention, again", metered.spent);
  for (const timer of TIMERS) {
    // Twice: what it does the first time is not what it asks each time.
    for (const time of ["first", "next"]) note(`${timer}, ${time}`, await metered.run(timer));
  }
  return found;
}

test(`every query of the API and of the timers: ${MANY.toLocaleString("en")} orders that are over cost what ${FEW.toLocaleString("en")} do`, async () => {
  const now = Date.now();
  await fill(folder, { from: 0, ended: FEW, failed: 60, inFlight: 20, hadDeadline: true }, now);
  const few = await spentByAll();
  await fill(folder, { from: FEW, ended: MANY - FEW, failed: 0, inFlight: 0, hadDeadline: true }, now - FEW * 5000);
  const many = await spentByAll();
  const rows = [...few].map(([what, { charge, documents }]) => {
    const later = many.get(what);
    return { what, few: charge, many: later?.charge ?? 0, documents, laterDocuments: later?.documents ?? 0 };
  });
  console.table(rows);
  const grown = rows.filter(
    ({ what, few: before, many: after }) =>
      after > (ENDS_SOON.find(([begin]) => what.startsWith(begin))?.[1] ?? before * 1.1 + MOST_MORE),
  );
  expect(grown).toEqual([]);
}, 300_000);
