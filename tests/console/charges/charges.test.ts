// What a view costs the store must not grow with the orders that are over.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { fill } from "./fill.ts";
import { A_MINUTE, type Charges, FIRST_VIEW, LAST_HOUR, LOOKS_THROUGH, measure } from "./measure.ts";

const folder = mkdtempSync(join(tmpdir(), "charges-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** With nothing in Error: what stands in the store is over. */
const MOST_A_LOAD = 25;
const MOST_A_MINUTE = 20;
/** The entries of an index that are counted are more. */
const MOST_WITH_ERRORS = 60;
/** Those whose error is half a minute old at most are read each time: the newest of them are as old as the fill. */
const MOST_READ = 20;

test("the first view, if all is well, takes less than 25 request units, and 20 for each minute that it is open", async () => {
  const own = mkdtempSync(join(tmpdir(), "charges-well-"));
  await fill(own, { from: 0, ended: 1000, failed: 0, inFlight: 0 }, Date.now());
  const charges = new Map(await measure(own));
  rmSync(own, { recursive: true, force: true });
  expect(charges.get(FIRST_VIEW)?.charge).toBeGreaterThan(0);
  expect(charges.get(FIRST_VIEW)?.charge).toBeLessThan(MOST_A_LOAD);
  expect(charges.get(A_MINUTE)?.charge).toBeLessThan(MOST_A_MINUTE);
});

test("no view costs more with five times as many orders that are over; the first one takes less than 100 request units", async () => {
  const now = Date.now();
  await fill(folder, { from: 0, ended: 500, failed: 100, inFlight: 20 }, now);
  const few = await measure(folder);
  await fill(folder, { from: 500, ended: 2000, failed: 0, inFlight: 0 }, now);
  const many = await measure(folder);
  const counted = (charges: Charges) =>
    charges.flatMap(([view, { requests, documents }]) => (view === LOOKS_THROUGH ? [] : [[view, requests, documents]]));
  expect(counted(many)).toEqual(counted(few));
  // It stops at a bound, whatever is stored.
  expect(many.find(([view]) => view === LOOKS_THROUGH)?.[1].documents).toBeLessThanOrEqual(1000);
  for (const [at, [view, { charge }]] of many.entries()) {
    if (view === LOOKS_THROUGH || view === LAST_HOUR) continue;
    expect(charge, view).toBeLessThanOrEqual((few[at]?.[1].charge ?? 0) + 1);
  }
  expect(many[0]?.[1].charge).toBeLessThan(100);
});

test("the first view, with five thousand orders that need a person, counts them and reads none of them again", async () => {
  const own = mkdtempSync(join(tmpdir(), "charges-errors-"));
  await fill(own, { from: 0, ended: 500, failed: 5000, inFlight: 0 }, Date.now());
  const [first] = await measure(own, [FIRST_VIEW]);
  rmSync(own, { recursive: true, force: true });
  expect(first?.[1].charge).toBeLessThan(MOST_WITH_ERRORS);
  expect(first?.[1].documents).toBeLessThan(MOST_READ);
});
