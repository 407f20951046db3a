// What has to be true once the faults are over: every fault that is found, in words.

import { type Direction, hasEnded, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { services } from "../../samples/remotes.ts";
import type { TestStack } from "../support/test-stack.ts";

/** Whatever the definition has: one that knows no keys is judged by itself. */
const SERVICES = services.filter(({ keys }) => keys !== false).map(({ name }) => name);
const QUEUES = ["jobs", "jobs-priority", "scheduler", "agent-requests-fraud", "agent-replies", "agent-replies-host2"];

interface Published {
  readonly attempt: number;
  readonly status: string;
}

export async function faultsOf(
  app: TestStack,
  orderIds: readonly string[],
  workflowOf: (record: StateRecord) => Workflow | undefined,
): Promise<string[]> {
  const records = new Map((await app.records.of(orderIds)).map((record) => [record.jobId, record]));
  const effects = await effectsOf(app);
  const faults = orderIds.flatMap((orderId) => {
    const record = records.get(orderId);
    if (!record) return [`${orderId}: lost`];
    const workflow = workflowOf(record);
    return [
      ...faultsOfRecord(record),
      ...(workflow ? faultsOfEffects(record, workflow, effects.get(orderId) ?? new Map()) : []),
      ...faultsOfPublished(record, publishedOf(app, orderId)),
    ].map((fault) => `${orderId}: ${fault}`);
  });
  return [...faults, ...(await leftInQueues(app)), ...(await leftRunning(app))];
}

function isOver({ processState, outbox }: StateRecord): boolean {
  return hasEnded(processState) && outbox.length === 0;
}

function faultsOfRecord(record: StateRecord): string[] {
  const faults: string[] = [];
  if (!isOver(record)) faults.push(`${record.processState}, with ${record.outbox.length} outbox messages`);
  if (record.lockedBy !== null) faults.push(`is still locked by ${record.lockedBy}`);
  if (record.dueAt !== undefined) faults.push(`is still due at ${record.dueAt}`);
  return faults;
}

/** By step, how often it was done and not compensated. */
type Net = Map<string, number>;

async function effectsOf(app: TestStack): Promise<Map<string, Net>> {
  const found = new Map<string, Net>();
  for (const service of SERVICES) {
    for (const { key } of await app.effects(service)) {
      const [orderId = "", step = "", direction] = key.split(":");
      const net = found.get(orderId) ?? new Map();
      found.set(orderId, net.set(step, (net.get(step) ?? 0) + ((direction as Direction) === "compensate" ? -1 : 1)));
    }
  }
  return found;
}

function faultsOfEffects(record: StateRecord, workflow: Workflow, net: Net): string[] {
  return workflow.steps.flatMap(({ name, compensation }) => {
    const times = net.get(name) ?? 0;
    // Resubmitted after a compensation a step is done anew under another key; what is not compensated by a call has then been done before.
    const most = typeof compensation === "string" ? (record.steps[name]?.generation ?? 1) : 1;
    if (record.processState === "Processed")
      return times >= 1 && times <= most ? [] : [`${name} has ${times} effects, though it is Processed`];
    if (isCompensated(record) && typeof compensation !== "string" && times > 0) return [`${name} is not compensated`];
    return times > most ? [`${name} has ${times} effects`] : [];
  });
}

const ENDS: ReadonlySet<string> = new Set(["Completed", "Failed", "Compensated", "Cancelled"]);

const isCompensated = ({ processState }: StateRecord) => processState === "Compensated" || processState === "Cancelled";

const STATUSES = {
  Processed: "Completed",
  Compensated: "Compensated",
  Cancelled: "Cancelled",
  Error: "Failed",
} as const;

function faultsOfPublished(record: StateRecord, published: readonly Published[]): string[] {
  const { attempt, processState } = record;
  const faults: string[] = [];
  if (published[0]?.status !== "Received")
    faults.push(`the client first received ${published[0]?.status ?? "nothing"}`);
  const last = published.filter((one) => one.attempt === attempt && ENDS.has(one.status)).at(-1)?.status;
  const wanted = hasEnded(processState) ? STATUSES[processState] : "no end";
  if (last !== wanted)
    faults.push(`the client received ${last ?? "no end"} of attempt ${attempt}, and it is ${wanted}`);
  return faults;
}

/** What the client received of the order, each message once. */
function publishedOf(app: TestStack, orderId: string): Published[] {
  const seen = new Set<unknown>();
  return app.statuses(orderId).flatMap(({ messageId, body }) => {
    if (seen.has(messageId)) return [];
    seen.add(messageId);
    return [{ attempt: Number(body.attempt), status: String(body.status) }];
  });
}

/** How many orders came to each end. */
export function endsOf(records: readonly StateRecord[]): { [state: string]: number } {
  const states: Record<string, number> = {};
  for (const { processState, error } of records) {
    const state = error ? `${processState} (${error.kind})` : processState;
    states[state] = (states[state] ?? 0) + 1;
  }
  return states;
}

async function leftInQueues(app: TestStack): Promise<string[]> {
  const faults: string[] = [];
  for (const queue of QUEUES) {
    for (const subQueueType of [undefined, "deadLetter"] as const) {
      const receiver = app.bus.createReceiver(queue, subQueueType ? { subQueueType } : {});
      const left = await receiver.peekMessages(3);
      await receiver.close();
      const [first] = left;
      const why = first?.deadLetterReason ? `, ${first.deadLetterReason}: ${first.deadLetterErrorDescription}` : "";
      if (first)
        faults.push(
          `${queue}${subQueueType ? " (dead letters)" : ""} is not empty: ${JSON.stringify(first.body)?.slice(0, 200)}${why}`,
        );
    }
  }
  return faults;
}

async function leftRunning(app: TestStack): Promise<string[]> {
  const lists = app.stack.addresses.hosts.map(async ({ name, url }) => {
    const response = await fetch(
      `${url}/runtime/webhooks/durabletask/instances?code=local&runtimeStatus=Running,Pending`,
    );
    const instances = (await response.json()) as { instanceId: string }[];
    return instances.map(({ instanceId }) => `${name}: the orchestration ${instanceId} still runs`);
  });
  return (await Promise.all(lists)).flat();
}
