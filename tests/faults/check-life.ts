// What has to be true of an order's life when it is over, wherever its host died: the record, the effects, what the client received.
import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import type { JobError, StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { publishedFaults, restFaults } from "@scheduler-agent-supervisor/testing/faults";
import { GRAPH } from "../support/orders.ts";
import { workflows } from "./workflows.ts";

const ALL_STEPS = GRAPH.steps.map(({ name }) => name);

export type Step =
  | "reserveStock"
  | "reserveStock_1"
  | "reserveStock_2"
  | "takePayment"
  | "checkFraud"
  | "arrangeShipping"
  | "collectIt"
  | "capturePayment"
  | "bookFlight";

/** How an order has to end. */
export interface End {
  /** The kind of its error; Processed without one. */
  readonly error?: JobError["kind"] | "compensated";
  /** The steps that have an effect, forward; all where it is Processed. */
  readonly steps?: readonly Step[];
  /** Those of which the effect is taken back. */
  readonly compensated?: readonly Step[];
  /** Its record says that its outcome is unknown: it has its effect once, or not at all. */
  readonly unknown?: Step;
}

export interface Evidence {
  readonly record: StateRecord | undefined;
  /** The idempotency keys under which the services had effects. */
  readonly effects: readonly string[];
  /** As they came; what comes again has the same message id. */
  readonly published: readonly ServiceBusReceivedMessage[];
  /** The attempts that the engine says run. */
  readonly running: readonly string[];
}

/** In words; empty where all is as it has to be. Without an end nothing may have come of it. */
export function faultsOf(end: End | undefined, { record, effects, published, running }: Evidence): string[] {
  // What is said of a submission that was not taken says nothing of the order that stands under the same id.
  const ofOrder = published.filter(({ body }) => body.status !== "Rejected");
  if (!end) return record || ofOrder.length > 0 ? ["something came of an order that can't be read"] : [];
  if (!record) return ["there is no record"];
  const faults: string[] = [];
  const expectSame = (what: string, found: unknown, wanted: unknown) => {
    if (JSON.stringify(found) !== JSON.stringify(wanted))
      faults.push(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
  };
  const { error } = end;
  const atRest = error === "compensated" ? "Compensated" : error === "cancelled" ? "Cancelled" : undefined;
  expectSame("process state", record.processState, atRest ?? (error ? "Error" : "Processed"));
  if (error !== "compensated") expectSame("error", record.error?.kind, error);
  faults.push(...restFaults(record, running));
  const wanted = [
    ...(end.steps ?? ALL_STEPS).map((step) => `${step}:forward`),
    ...(end.compensated ?? []).map((step) => `${step}:compensate`),
  ];
  const had = effects.map((key) => key.split(":").slice(1, 3).join(":"));
  if (end.unknown) {
    expectSame("outcome unknown", record.steps[end.unknown]?.outcomeUnknown, true);
    const once = `${end.unknown}:forward`;
    if (had.includes(once)) wanted.push(once);
  }
  // A key's generation doesn't count: a step that has an effect under two keys has it twice.
  expectSame("effects", had.sort(), wanted.sort());
  const workflow = workflows.find(({ name }) => name === record.workflow.name) ?? GRAPH;
  return [...faults, ...publishedFaults(workflow, record, ofOrder)];
}
