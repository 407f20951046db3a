// P12, P16, P20: two hosts whose clocks differ; the lease away, broken or taken by another, under a supervisor at work.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { BlobServiceClient } from "@azure/storage-blob";
import { hasEnded, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAuditLog } from "../support/audit-log.ts";
import { NEVER } from "../support/test-stack.ts";
import { type FaultyStack, startFaultyStack } from "./faulty-stack.ts";
import { workflows } from "./workflows.ts";

const TIMEOUT_MS = 180_000;
/** What the app takes clocks to differ by. */
const CLOCK_SKEW_MS = 2000;
const TICK_MS = 1000;

const ended = ({ processState }: StateRecord) => hasEnded(processState);
const isRunning = ({ steps }: StateRecord) => steps["arrangeShipping"]?.state === "Running";
const disabled = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [`AzureWebJobs.${name}.Disabled`, "true"]));

describe("two hosts whose clocks differ", () => {
  const folder = mkdtempSync(join(tmpdir(), "clock-"));
  const file = join(folder, "shift");
  const shift = (ms: number) => writeFileSync(file, String(ms));
  const preload = pathToFileURL(join(import.meta.dirname, "../support/shifted-clock.ts")).href;
  let app: FaultyStack;

  beforeAll(async () => {
    shift(0);
    app = await startFaultyStack(workflows, {
      hosts: 2,
      tuning: { timing: { claimWithinMs: 5000, clockSkewMs: CLOCK_SKEW_MS } },
      // The host whose clock is wrong sweeps, and the other runs the orders: whoever held one itself would see no difference.
      appSettings: ({ host }) => ({
        // A step whose taking up is not recorded is given this long for it: less than it takes, so it does not hide the clock.
        StartWithin: "PT3S",
        ...(host?.name === "host2"
          ? {
              ...disabled("submission", "submissionPriority", "startAttempt", "fraudQueueAgent", "agentReplies"),
              CLOCK_SHIFT_FILE: file,
              NODE_OPTIONS: `--import ${preload} --disable-warning=ExperimentalWarning`,
            }
          : { SupervisorSchedule: NEVER }),
      }),
    });
  });
  afterAll(async () => {
    await app?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Orders whose shipping takes nearly all of its time, while the sweeper's clock is wrong. */
  async function under(name: string, shiftMs: number, shipsInMs: number): Promise<StateRecord[]> {
    shift(shiftMs);
    const orderIds = [0, 1, 2, 3].map((index) => `${name}-${index}`);
    for (const orderId of orderIds)
      await app.switchOn("shipping", { kind: "slow", delayMs: shipsInMs, calls: 1, match: { orderId } });
    await app.submit(orderIds, { workflow: "brisk" });
    await app.allEnd(orderIds);
    for (const orderId of orderIds) expect(await app.effects("shipping", orderId)).toHaveLength(1);
    return app.records.of(orderIds);
  }

  test(
    "[supervisor | steps under way on another host | its clock is fast by less than the allowed difference] nothing is taken for overdue before its time",
    async () => {
      for (const record of await under("inside", CLOCK_SKEW_MS * 0.7, 4200)) {
        expect(record).toMatchObject({ attempt: 1, failureCount: 0 });
      }
    },
    TIMEOUT_MS,
  );

  test(
    "[supervisor | steps under way on another host | its clock is fast by more than the allowed difference] attempts are superseded too early and fenced; one effect a step all the same",
    async () => {
      for (const { attempt } of await under("beyond", CLOCK_SKEW_MS + 5500, 4200)) expect(attempt).toBeGreaterThan(1);
    },
    TIMEOUT_MS,
  );

  test(
    "[supervisor | overdue steps | its clock is slow] they are found, later by as much at the most",
    async () => {
      shift(-4000);
      await app.switchOn("shipping", { kind: "down", forMs: 6000, match: { orderId: "slow-clock" } });
      await app.submit(["slow-clock"], { workflow: "hasty" });
      await app.allEnd(["slow-clock"], {}, 30_000);
      expect(await app.eventually("slow-clock", ended)).toMatchObject({ processState: "Processed" });
    },
    TIMEOUT_MS,
  );
});

describe("the lease", () => {
  let app: FaultyStack;
  beforeAll(async () => {
    app = await startFaultyStack(workflows, { tuning: { timing: { claimWithinMs: 3000, clockSkewMs: 200 } } });
  });
  afterAll(() => app?.[Symbol.asyncDispose]());

  const blob = () =>
    BlobServiceClient.fromConnectionString(app.settings["AzureWebJobsStorage"] ?? "")
      .getContainerClient("supervisor")
      .getBlobClient("leader");
  const leads = async () => (await blob().getProperties()).leaseState === "leased";
  const epoch = async () => Number((await blob().getProperties()).metadata?.["epoch"]);

  /** An order that is overdue from now on until somebody recovers it. */
  async function overdue(orderId: string): Promise<() => Promise<void>> {
    const comesBack = await app.switchOn("shipping", { kind: "down", match: { orderId } });
    await app.submit([orderId], { workflow: "hasty" });
    await app.eventually(orderId, isRunning);
    // A service that came back sooner would be asked again within the step's time.
    await app.eventually(orderId, ({ completeBy }) => Date.parse(completeBy ?? "") < Date.now());
    await comesBack();
    return async () => {
      await app.allEnd([orderId]);
      const record = await app.eventually(orderId, ended);
      expect(record.history.filter(({ what }) => what.includes(", retried"))).toHaveLength(record.failureCount);
    };
  }

  test.each([
    [
      "[supervisor | overdue records | storage of the lease down for 4 s] orders go through meanwhile; what is overdue is found when it is back",
      "unled-down",
      { kind: "down" },
    ],
    [
      "[supervisor | overdue records | storage of the lease half-open for 4 s] the tick gives up in its time; what is overdue is found when it is back",
      "unled-half-open",
      { kind: "halfOpen" },
    ],
  ] as const)(
    "%s",
    async (_, name, fault) => {
      await expect.poll(leads).toBe(true);
      const recovered = await app.to.storage.during(fault, async () => {
        await app.submit([name]);
        await app.allEnd([name]);
        const recover = await overdue(`${name}-overdue`);
        await sleep(4000);
        return recover;
      });
      await recovered();
    },
    TIMEOUT_MS,
  );

  test(
    "[supervisor | it leads | lease broken by another, which holds it for 15 s] it follows and sweeps nothing; it leads again, in a later epoch, when the lease ends",
    async () => {
      await expect.poll(leads).toBe(true);
      const before = await epoch();
      await blob().getBlobLeaseClient().breakLease(0);
      const thief = blob().getBlobLeaseClient();
      await expect
        .poll(
          () =>
            thief.acquireLease(15).then(
              () => true,
              () => false,
            ),
          { interval: 5 },
        )
        .toBe(true);
      await blob().setMetadata(
        { epoch: String(before + 1), holder: "thief", leader: "thief" },
        { conditions: { leaseId: thief.leaseId } },
      );
      const recover = await overdue("robbed");
      await sleep(4 * TICK_MS);
      const meanwhile = await app.eventually("robbed", () => true);
      expect(meanwhile, "nobody sweeps but who leads").toMatchObject({ attempt: 1, failureCount: 0 });
      await thief.releaseLease();
      await recover();
      expect(await epoch()).toBeGreaterThan(before + 1);
      const decisions = (await openAuditLog(app.settings)).filter((entry) => entry.kind === "decision");
      expect(
        decisions.filter(({ jobId: orderId, verdict }) => orderId === "robbed" && verdict === "retry").length,
      ).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  test(
    "[supervisor | it leads | lease broken, and free] it takes it again at its next tick, and goes on",
    async () => {
      await expect.poll(leads).toBe(true);
      await blob().getBlobLeaseClient().breakLease(0);
      await expect.poll(leads, { timeout: 3 * TICK_MS }).toBe(true);
      await (await overdue("broken"))();
    },
    TIMEOUT_MS,
  );
});
