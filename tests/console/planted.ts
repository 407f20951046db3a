// What an operator finds in the morning: orders that failed of two causes, one that is compensated, and messages that nobody could read.

import { BlobServiceClient } from "@azure/storage-blob";
import { createCosmosAuditLog } from "@scheduler-agent-supervisor/core/create-app";
import { LEASE_CONTAINER } from "@scheduler-agent-supervisor/core/scheduling";
import { createReportStore } from "@scheduler-agent-supervisor/operator/adapters";
import { type Report, reportedAfter } from "@scheduler-agent-supervisor/operator/domain";
import { madeOrder } from "../support/made-order.ts";
import { databaseOf } from "../support/store.ts";
import type { TestStack } from "../support/test-stack.ts";

export interface Planted {
  /** Rejected by payment, all of one cause. */
  readonly rejected: readonly string[];
  /** Compensated in part: a person has to do the rest. */
  readonly stuck: readonly string[];
}

export async function plant(app: TestStack, rejections = 3): Promise<Planted> {
  const rejected = Array.from({ length: rejections }, (_, at) => `rejected-${at + 1}`);
  const stuck = ["stuck-1"];
  for (const orderId of rejected) {
    // The check beside it is done first: an agent that may still be at work keeps the next attempt waiting.
    await app.switchOn("payment", { kind: "slow", delayMs: 1000, calls: 1, match: { orderId } });
    const message = `card ${4000 + Number(orderId.slice(9))} has expired`;
    await app.switchOn("payment", { kind: "reject", status: 402, message, calls: 1, match: { orderId } });
  }
  await app.switchOn("shipping", {
    kind: "reject",
    status: 422,
    message: "nobody delivers there",
    calls: 1,
    match: { orderId: "stuck-1" },
  });
  await app.switchOn("payment", {
    kind: "reject",
    status: 409,
    message: "the authorization can't be voided",
    path: "/charges/*/void",
    match: { orderId: "stuck-1" },
  });
  for (const orderId of [...rejected, ...stuck, "plain-1"]) await app.shop.send(madeOrder(orderId));
  await app.shop.send({ ...madeOrder("unreadable-1"), currency: "euro", lines: [] });
  for (const orderId of [...rejected, ...stuck]) {
    await app.eventually(orderId, ({ processState, outbox }) => processState === "Error" && outbox.length === 0);
  }
  await app.eventually("plain-1", ({ processState }) => processState === "Processed");
  return { rejected, stuck };
}

/** What a sweep decided about so many orders in one instant, and a reply that came too late an hour later. */
export async function plantDecisions(app: TestStack, day: string, count: number): Promise<void> {
  const database = databaseOf(app.settings);
  const auditLog = createCosmosAuditLog({
    supervision: database.container("supervision"),
    audit: database.container("audit"),
  });
  const at = `${day}T00:00:00.000Z`;
  const before = { processState: "Processing", attempt: 1, failureCount: 0, step: "takePayment" } as const;
  const after = { ...before, processState: "Pending", attempt: 2, failureCount: 1 } as const;
  const rule = `Processing past its complete-by ${at}: failure 1 of takePayment, below the threshold of 3`;
  const orderIds = ["plain-1", ...Array.from({ length: count - 1 }, (_, place) => `planned-${place + 1}`)];
  const made = { sweepId: at, at, epoch: 1, rule, verdict: "retry", before, after, outcome: "applied" } as const;
  const stop = {
    step: "takePayment",
    agent: "payment",
    attempt: 1,
    tries: 4,
    endpoint: "primary",
    message: "HTTP 503",
  };
  const died = { ...stop, tries: null, endpoint: null, message: null };
  const lost = { ...made, jobId: "planned-lost", at: `${day}T00:10:00.000Z`, after: null, outcome: "lost" } as const;
  const decisions = orderIds.map((jobId, place) => ({ ...made, jobId, stop: place === 1 ? died : stop }));
  for (let from = 0; from < count; from += 100) await auditLog.decisions(decisions.slice(from, from + 100));
  await auditLog.decisions([lost]);
  await auditLog.lateReply({
    at: `${day}T01:00:00.000Z`,
    jobId: "plain-1",
    attempt: 1,
    step: "takePayment",
    reason: "attempt 2 holds it",
  });
}

/** What the app says of itself, as if it had happened now. */
export async function plantReports(app: TestStack, ...said: readonly Pick<Report, "name" | "subject" | "cause">[]) {
  const storage = BlobServiceClient.fromConnectionString(app.stack.addresses.azurite?.connectionString ?? "");
  const at = new Date().toISOString();
  await createReportStore(storage.getContainerClient(LEASE_CONTAINER)).change((before) =>
    said.reduce((sofar, one) => reportedAfter(sofar, { kind: "said", ...one, at }, Date.now()), before),
  );
}
