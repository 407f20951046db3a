// The lives that an order can have, each with the end that it has to come to wherever the host dies meanwhile.
import { recoveries } from "./recovery-scenarios.ts";
import {
  BEFORE_SHIPPING,
  BY_LINE,
  cardRejected,
  compensated,
  done,
  ended,
  isAwaited,
  isDown,
  isErrorOf,
  rejectCard,
  rejectsCard,
  retry,
  type Scenario,
  whileShipping,
} from "./scenario.ts";

const TWO_LINES = {
  workflow: "listed",
  lines: ["TEA-100", "MUG-3"].map((sku) => ({ sku, quantity: 1, unitPrice: 450 })),
};

export const scenarios: readonly Scenario[] = [
  {
    name: "plain",
    title:
      "[submission, scheduler, agents, replies | every await of an order that is processed | host killed] it continues from its last write: Processed, one effect a step, every status in order",
    drive: (hand) => hand.send(),
    end: done,
  },
  {
    name: "priority",
    title:
      "[submission | every await of an urgent order | host killed] its message is delivered again from its own queue; one order, one effect a step",
    drive: (hand) => hand.send({ priority: "high" }),
    end: done,
  },
  {
    name: "sent three times",
    title:
      "[submission | every await of a repeated submission | host killed] the repeated message publishes Received again and starts nothing",
    async drive(hand) {
      await Promise.all([hand.send(), hand.send()]);
      await hand.until(ended);
      await hand.send();
    },
    end: done,
  },
  {
    name: "the payment ends before the check",
    title:
      "[replies | the reply is the last of two parallel steps | host killed] exactly one of the two steps schedules the next one",
    async drive(hand) {
      await hand.fault("fraud", { kind: "slow", delayMs: 400, calls: 1 });
      await hand.send();
    },
    end: done,
  },
  {
    name: "the check ends before the payment",
    title:
      "[agents | the activity is the last of two parallel steps | host killed] exactly one of the two steps schedules the next one",
    async drive(hand) {
      await hand.fault("payment", { kind: "slow", delayMs: 400, calls: 1 });
      await hand.send();
    },
    end: done,
  },
  {
    name: "unreadable",
    title:
      "[submission | every await of an order that can't be read | host killed] it is quarantined at least once, and no record is written",
    async drive(hand) {
      await hand.send({ currency: "euro" });
      while ((await hand.quarantined()) === 0);
    },
  },
  {
    name: "another order under its id",
    title:
      "[submission | every await of another order under a known id | host killed] it is quarantined; the first order is unchanged",
    async drive(hand) {
      await hand.send();
      await hand.until(ended);
      await hand.send({ currency: "USD" });
      while ((await hand.quarantined()) === 0);
    },
    end: done,
  },
  {
    name: "rejected, so compensated",
    title:
      "[agents, scheduler | every await of a permanent rejection and of the compensation | host killed] what was done is compensated once, in reverse; the client receives Compensated",
    async drive(hand) {
      await hand.fault("shipping", { kind: "reject", message: "nobody delivers there" });
      await hand.send();
    },
    end: compensated,
  },
  {
    name: "rejected, and another step in its place",
    title:
      "[agents, scheduler | every await of a step that is skipped and of the one in its place | host killed] the order continues with the other one: Processed, one effect a step",
    async drive(hand) {
      await hand.fault("shipping", { kind: "reject", message: "nobody delivers there", path: "/shipments" });
      await hand.send({ workflow: "spare" });
    },
    end: { steps: [...BEFORE_SHIPPING, "collectIt", "capturePayment"] },
  },
  {
    name: "a condition that holds",
    title:
      "[agents | every await of a step with a condition that holds | host killed] the decision is kept, or made again; Processed, one effect a step",
    drive: (hand) =>
      hand.send({ workflow: "conditional", lines: [{ sku: "RING-1", quantity: 1, unitPrice: 600_000 }] }),
    end: done,
  },
  {
    name: "a condition that does not hold",
    title:
      "[agents | every await of a step with a condition that does not hold | host killed] its agent is never called; the order continues without it",
    drive: (hand) => hand.send({ workflow: "conditional" }),
    end: { steps: [...BEFORE_SHIPPING, "capturePayment"] },
  },
  {
    name: "rejected, and a compensation rejected too",
    title:
      "[agents | every await of a compensation that is rejected | host killed] the others are compensated; Failed lists what a person has to do",
    async drive(hand) {
      await hand.fault("shipping", { kind: "reject", message: "nobody delivers there" });
      await hand.fault("payment", { kind: "reject", message: "not to be voided", path: "/charges/*/void" });
      await hand.send();
    },
    end: { error: "compensationIncomplete", steps: BEFORE_SHIPPING, compensated: ["reserveStock"] },
  },
  {
    name: "rejected, left to an operator",
    title:
      "[agents | every await of a rejection that an operator has to see | host killed] Error, published; nothing further is called",
    drive: async (hand) => void (await rejectCard(hand)),
    end: cardRejected,
  },
  {
    name: "resubmitted as it was",
    title:
      "[operator | every await of a resubmission | host killed] the repeated request is rejected as done, or done; the order continues from the failed step",
    async drive(hand) {
      await (await rejectCard(hand))();
      await hand.operate("resubmit");
    },
    end: done,
  },
  {
    name: "resubmitted with an edit",
    title:
      "[operator | every await of a resubmission with an edit | host killed] record and new content are written both or neither; the edit takes effect once",
    async drive(hand) {
      await (await rejectCard(hand))();
      await hand.operate("resubmit", { job: { ...hand.order, paymentToken: "tok_new" } });
    },
    end: done,
  },
  {
    name: "compensated by an operator",
    title:
      "[operator | every await of a compensation | host killed] it is compensated once, whichever process starts it",
    async drive(hand) {
      await rejectCard(hand);
      await hand.operate("compensate");
    },
    end: { error: "compensated", steps: ["reserveStock", "checkFraud"], compensated: ["reserveStock"] },
  },
  {
    name: "cancelled by an operator",
    title:
      "[operator | every await of a cancellation of an order that runs | host killed] it is compensated once, whichever process starts it; it ends as Cancelled",
    async drive(hand) {
      await whileShipping(hand, { workflow: "brisk" });
      await hand.operate("cancel");
    },
    end: { ...compensated, error: "cancelled" },
  },
  {
    name: "cancelled by its requester",
    title:
      "[submission | every await of a requester's cancellation of an order that runs | host killed] the message is delivered again; it is compensated once; it ends as Cancelled",
    async drive(hand) {
      const sent = { workflow: "brisk" };
      await whileShipping(hand, sent);
      await hand.cancel(sent);
    },
    end: { ...compensated, error: "cancelled" },
  },
  {
    name: "nothing to compensate",
    title:
      "[scheduler | every await of a claim that finds nothing to do | host killed] the sweep publishes what the claim concluded",
    async drive(hand) {
      await hand.fault("inventory", { kind: "reject", message: "sold out" });
      await hand.send();
      await hand.until(isErrorOf("rejected"));
      await hand.operate("compensate");
    },
    end: { error: "compensated", steps: [] },
  },
  {
    name: "compensated while it runs",
    title:
      "[operator | every await of a compensation of a running order | host killed] the old attempt is fenced; the new one compensates once",
    async drive(hand) {
      await whileShipping(hand, { workflow: "brisk" });
      await hand.operate("compensate");
    },
    end: compensated,
  },
  {
    name: "resolved",
    title:
      "[operator | every await of marking an order resolved whose rest was done manually | host killed] the repeated request is rejected as done; Error stays",
    async drive(hand) {
      await rejectCard(hand);
      await hand.operate("markResolved");
      await hand.until(isErrorOf("resolved"));
    },
    end: { error: "resolved", steps: ["reserveStock", "checkFraud"] },
  },
  {
    name: "extended",
    title:
      "[operator | every await of an extension | host killed] a repeated request extends it once more at most; the order is processed",
    async drive(hand) {
      const lift = await whileShipping(hand);
      await hand.operate("extend", { by: "PT1M" });
      await lift();
    },
    end: done,
  },
  {
    name: "looked at",
    title:
      "[operator | every await of reads: one order, the list, and a sweep manually | host killed] a repeated request is answered; nothing changes",
    async drive(hand) {
      // First of all, so that it may be the one that takes the lead.
      await hand.ask("POST", "api/supervisor/sweep", {}, 200, 409);
      await hand.send();
      await hand.until(ended);
      await hand.ask("GET", `api/jobs/${hand.orderId}`, undefined, 200);
      await hand.ask("GET", `api/jobs?q=${hand.orderId}`, undefined, 200);
      await hand.ask("POST", "api/supervisor/sweep", {}, 200, 409);
    },
    end: done,
  },
  {
    name: "retried",
    title:
      "[supervisor | every await of a retry | host killed] one attempt more and one failure counted for an expiry; the start message goes out again",
    drive: retry,
    end: done,
  },
  {
    name: "retried beside a step that goes on",
    title:
      "[supervisor, agents, replies | every await of a retry of one step while another runs | host killed] the next attempt has the other's answer; one effect a step",
    async drive(hand) {
      await hand.fault("fraud", { kind: "slow", delayMs: 3500, calls: 1 });
      const lift = await hand.fault("payment", { kind: "down", path: "/charges" });
      await hand.send({ workflow: "uneven" });
      await hand.until(({ attempt }) => attempt > 1);
      await lift();
    },
    end: done,
  },
  {
    name: "rejected beside a step that goes on",
    title:
      "[scheduler, agents, replies | every await of a compensation that begins while another step is at work | host killed] the other is recorded when it is done; then the compensation ends",
    async drive(hand) {
      await hand.fault("fraud", { kind: "slow", delayMs: 2000, calls: 1 });
      await hand.fault("payment", rejectsCard);
      await hand.send({ workflow: "eager" });
    },
    end: { error: "compensated", steps: ["reserveStock", "checkFraud"], compensated: ["reserveStock"] },
    // The time in which the check may begin can be over before the next host is ready.
    endIfKilled: { error: "compensated", steps: ["reserveStock"], compensated: ["reserveStock"] },
  },
  {
    name: "reported later",
    title:
      "[agents, completeStep | every await of a step that its service accepts, and of the report | host killed] the record waits; a repeated report is recorded once; one effect a step",
    async drive(hand) {
      await hand.fault("shipping", { kind: "accept", path: "/shipments" });
      await hand.send({ workflow: "later" });
      const shipmentId = (await hand.until(isAwaited)).steps["arrangeShipping"]?.accepted?.reference ?? null;
      await hand.report("arrangeShipping", { kind: "progress", progress: "on the van" });
      await hand.report("arrangeShipping", { kind: "done", result: { shipmentId } });
    },
    end: done,
  },
  {
    name: "asked later",
    title:
      "[agents, pollStep | every await of a step whose service is polled | host killed] it is polled again; the answer is recorded once; one effect a step",
    async drive(hand) {
      await hand.fault("shipping", { kind: "accept", path: "/shipments", retryAfterS: 1 });
      await hand.send({ workflow: "later" });
    },
    end: done,
  },
  {
    name: "replied to too late",
    title:
      "[replies | every await of a late reply | host killed] it is rejected and written to the audit log; the order is processed without it",
    async drive(hand) {
      const lift = await hand.fault("shipping", isDown);
      await hand.send({ workflow: "hasty" });
      await hand.until(({ attempt }) => attempt > 1);
      const lockedBy = `${hand.orderId}-1@JobScheduler`;
      const ticket = { jobId: hand.orderId, attempt: 1, step: "checkFraud", direction: "forward", lockedBy };
      await hand.message("agent-replies", { ticket, kind: "done", result: { checkId: "late" } });
      await lift();
    },
    end: done,
  },
  {
    name: "replied to in no known form",
    title: "[replies | every await of a reply that can't be read | host killed] it is quarantined at least once",
    async drive(hand) {
      await hand.send();
      await hand.until(ended);
      await hand.message("agent-replies", { ticket: { jobId: hand.orderId }, kind: "finished" });
      while ((await hand.quarantined()) === 0);
    },
    end: done,
  },
  ...recoveries,
  {
    name: "at most once",
    title:
      "[agents | every await of a step that is done at most once, at a service without keys | host killed] it is done once, or waits in Error for a person with its outcome unknown, done once or not at all; it is never done twice",
    drive: (hand) => hand.send({ workflow: "flight" }),
    end: { steps: ["bookFlight", "takePayment"] },
    endIfKilled: { error: "rejected", steps: [], unknown: "bookFlight" },
    isOwn: true,
  },
  {
    name: "out of time, and another step in its place",
    title:
      "[agents, scheduler | every await of the compensation of a skipped step, of which nobody knows whether it was done | host killed] it is compensated once, beside the step in its place: Processed",
    async drive(hand) {
      await hand.fault("shipping", { kind: "loseReply", path: "/shipments" });
      await hand.send({ workflow: "spare-in-time" });
    },
    end: {
      steps: [...BEFORE_SHIPPING, "arrangeShipping", "collectIt", "capturePayment"],
      compensated: ["arrangeShipping"],
    },
    isOwn: true,
    diesAt: /^shippingAgent\/arrangeShipping\/compensate:/,
  },
  {
    name: "runs for a list of a result",
    title:
      "[agents | every await of a step whose result has a list, and of the runs for its items | host killed] each item has one run, whoever records the list; Processed, one effect an item",
    drive: (hand) => hand.send(TWO_LINES),
    end: { steps: [...BY_LINE, ...BEFORE_SHIPPING.slice(1), "arrangeShipping", "capturePayment"] },
    isOwn: true,
    diesAt: /^sorterAgent\//,
  },
  {
    name: "runs for a list of a result, compensated",
    title:
      "[agents, scheduler | every await of a compensation of runs for a list of a result | host killed] what was done for each item is compensated once, for that item",
    async drive(hand) {
      await hand.fault("shipping", { kind: "reject", message: "nobody delivers there" });
      await hand.send(TWO_LINES);
    },
    end: {
      error: "compensated",
      steps: [...BY_LINE, ...BEFORE_SHIPPING.slice(1)],
      compensated: [...BY_LINE, "takePayment"],
    },
    isOwn: true,
    diesAt: /^inventoryAgent\/reserveStock_1\/compensate:/,
  },
];
