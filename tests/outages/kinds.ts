// What can be away for long, and how a test takes it away and brings it back.

import type { ServiceFault } from "@scheduler-agent-supervisor/testing";
import type { FaultyStack } from "../faults/faulty-stack.ts";
import { FRAUD_QUEUE, FRAUD_WORKER } from "../support/fraud-worker.ts";
import { rejectData } from "../support/store-rejections.ts";

/** Brings it back. */
type Back = () => Promise<void>;

export interface OutageKind {
  /** The name of its test, in the form of docs/reference/failure-modes.md. */
  readonly title: string;
  begin(app: FaultyStack): Promise<Back>;
  /** Settings that it needs. */
  readonly appSettings?: Readonly<Record<string, string>>;
  /** The simulated services that it is of. */
  readonly remotesFile?: string;
  /** Failures are counted, and the workflow's policy waits. */
  readonly isWaitedFor?: true;
  /** What is counted: as many failures as the policy waits for, some, or none. If absent, that is not looked at. */
  readonly failures?: "all" | "some" | "none";
}

/** More requests than any outage sees. */
const ALL = 1e9;

function connection(name: "bus" | "cosmos" | "storage"): OutageKind["begin"] {
  return async ({ to }) => {
    await to[name].behave({ kind: "down" });
    return () => to[name].behave({ kind: "none" });
  };
}

function storeAnswers(status: 403 | 429): OutageKind["begin"] {
  return async (app) => {
    const reject = (requests: number) => rejectData(app, { requests, status });
    await reject(ALL);
    return () => reject(0);
  };
}

function service(name: ServiceName, fault: ServiceFault): OutageKind["begin"] {
  return (app) => app.switchOn(name, fault);
}

async function pauseAgent(app: FaultyStack): Promise<Back> {
  const change = async (to: "pause" | "resume") => {
    const response = await app.call("api/pauses", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ kind: "agent", name: "fraud", change: to, reason: "an outage that is planned" }),
    });
    if (!response.ok) throw new Error(await response.text());
  };
  await change("pause");
  return () => change("resume");
}

export const SERVICES = ["inventory", "payment", "fraud", "shipping"] as const;
export type ServiceName = (typeof SERVICES)[number];

export const OUTAGES = {
  "store-down": {
    title:
      "[all actors | orders arrive | state store down for long] messages are held, then wait in their queue; no failure is counted",
    begin: connection("cosmos"),
  },
  "store-403": {
    title: "[all actors | orders arrive | state store answers 403 for long] as when it is down",
    begin: storeAnswers(403),
  },
  "store-429": {
    title: "[all actors | orders arrive | state store answers 429 for long] as when it is down",
    begin: storeAnswers(429),
  },
  "bus-down": {
    title: "[all actors | orders arrive | bus down for long] what waits in its queues is worked on when it is back",
    begin: connection("bus"),
  },
  "storage-down": {
    title:
      "[supervisor | orders arrive | storage account down for long, the durable engine keeps its data elsewhere] there is no leader; orders are processed meanwhile",
    begin: connection("storage"),
  },
  "inventory-down": {
    title:
      "[agents | orders arrive | inventory answers 503 for long] its steps wait as the policy says, and all are Processed; none is compensated, none in Error",
    begin: service("inventory", { kind: "down" }),
    isWaitedFor: true,
    failures: "all",
  },
  "payment-down": {
    title:
      "[agents | orders arrive | payment answers 503 for long] its steps wait as the policy says, and all are Processed; none is compensated, none in Error",
    begin: service("payment", { kind: "down" }),
    isWaitedFor: true,
    failures: "all",
  },
  "fraud-down": {
    title:
      "[agents | orders arrive | fraud answers 503 for long] its steps wait as the policy says, and all are Processed; none is compensated, none in Error",
    begin: service("fraud", { kind: "down" }),
    isWaitedFor: true,
    failures: "all",
  },
  "shipping-down": {
    title:
      "[agents | orders arrive | shipping answers 503 for long] its steps wait as the policy says, and all are Processed; none is compensated, none in Error",
    begin: service("shipping", { kind: "down" }),
    isWaitedFor: true,
    failures: "all",
  },
  "agent-dead": {
    title:
      "[agents | orders arrive | nobody works for a queue agent for long] its steps fail and wait as the policy says, and all are Processed; other workflows go on",
    ...FRAUD_WORKER,
    // The worker stops, as a process that died or was deployed with a fault.
    begin: service("fraud", { kind: "down", path: FRAUD_QUEUE }),
    isWaitedFor: true,
    failures: "some",
  },
  "agent-paused": {
    title:
      "[agents | orders arrive | an operator has paused an agent for long] its steps wait, and no failure is counted; other workflows go on",
    begin: pauseAgent,
    failures: "none",
  },
  "service-403": {
    title:
      "[agents | orders arrive | a service answers 403 for long] the fault is the endpoint's: no order is rejected",
    begin: service("shipping", { kind: "reject", status: 403 }),
  },
  "service-429": {
    title: "[agents | orders arrive | a service answers 429 for long] as when it answers 503",
    begin: service("shipping", { kind: "down", status: 429 }),
    isWaitedFor: true,
    failures: "all",
  },
} as const satisfies Record<string, OutageKind> & Record<`${ServiceName}-down`, OutageKind>;

export type OutageName = keyof typeof OUTAGES;
export const OUTAGE_NAMES = Object.keys(OUTAGES) as [OutageName, ...OutageName[]];
