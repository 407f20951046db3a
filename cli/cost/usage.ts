// What an environment uses in a month, by meter: with nothing to do, and for a number of orders.
import { Cron } from "croner";
import { readCounts } from "./counts.ts";

export type Basis =
  /** Follows from the template and the settings. */
  | "chosen"
  /** Counted on this machine (infra/cost/counts.json): on the local stack, or with the real host and engine on it. */
  | "counted"
  /** Neither: a guess that the workbook's meters put right. */
  | "assumed";

export interface Use {
  readonly what: string;
  readonly meter: string;
  readonly quantity: number;
  readonly basis: Basis;
}

/** What of an environment's choices has a price. */
export interface Environment {
  readonly memoryGb: number;
  /** Always-ready instances, of all groups and functions together. */
  readonly ready: number;
  /** In zones every function runs on instances that are always ready, and a serverless store's request units cost more. */
  readonly zones: boolean;
  /** Timers, as NCRONTAB with seconds. */
  readonly schedules: readonly string[];
  readonly alerts: { readonly every5Minutes: number; readonly every15Minutes: number; readonly series: number } | null;
  /** The part of the traces that is kept. */
  readonly traces: number;
}

const HOURS = 730;
const SECONDS = HOURS * 3600;
/** "Azure Functions Flex Consumption plan hosting", Billing: each run is billed for at least a second. */
const LEAST_SECONDS = 1;

/** "Reliability in Azure Cosmos DB for NoSQL", SLA improvements: serverless request units in a region with zones. */
const ZONES_FACTOR = 1.25;

const { perOrder, realHost, hostSource } = readCounts();
const BUS_OPERATIONS = perOrder.busSends + perOrder.busDeliveries + perOrder.busCompletions;
/** Beside the activities: turns of the orchestrator, and the functions of submission, queue agent and replies. */
const OTHER_EXECUTIONS = 11;
/** Submission, queue agent and replies, each on an instance of its own, an order for itself: the least that is billed. */
const QUEUE_FUNCTIONS = 3;
/** Of a part of the traces; events are always kept. */
const recordsOf = (traces: number) => (perOrder.spans + hostSource.spans) * traces + perOrder.events;
const RECORD_GB = 1e-6;
const ORDER_GB = 8e-6;

const executionMeter = (isReady: boolean) => (isReady ? "flexReadyExecution" : "flexExecution");
const unitsIn = (zones: boolean, units: number) => units * (zones ? ZONES_FACTOR : 1);

export function idleUse({ memoryGb, ready, zones, schedules, alerts, traces }: Environment): Use[] {
  const runs = schedules.reduce((sum, schedule) => sum + runsAMonth(schedule), 0);
  return [
    use("always-ready instances", "flexReadyBaseline", ready * memoryGb * SECONDS, "chosen"),
    use("timers, at least a second each", executionMeter(zones), runs * LEAST_SECONDS * memoryGb, "chosen"),
    use("timers, executions", "flexExecutions", runs, "chosen"),
    use("Service Bus Standard", "busStandardHour", HOURS, "chosen"),
    use("log alerts, every 5 minutes", "logAlert5", alerts?.every5Minutes ?? 0, "chosen"),
    use("log alerts, every 15 minutes", "logAlert15", alerts?.every15Minutes ?? 0, "chosen"),
    use("metric alerts", "metricAlert", alerts?.series ?? 0, "chosen"),
    use("sweeps and gauges in the store", "cosmosServerless", unitsIn(zones, runs * 12), "assumed"),
    use("the engine's polling", "storageQueue", (SECONDS / 5) * 7, "assumed"),
    use("leases of host and engine", "storageBlob", (SECONDS / 10) * 2, "assumed"),
    use("logs and metrics", "logs", 9 + runs * 3 * RECORD_GB * traces, "assumed"),
  ];
}

export function orderUse(orders: number, { memoryGb, ready, zones, traces }: Environment): Use[] {
  const seconds = orders * LEAST_SECONDS * memoryGb;
  return [
    use("steps", executionMeter(ready > 0), seconds, "assumed"),
    use("submission, queue agent, replies", executionMeter(zones), QUEUE_FUNCTIONS * seconds, "assumed"),
    use("executions", "flexExecutions", orders * (perOrder.activities + OTHER_EXECUTIONS), "assumed"),
    use("Service Bus operations", "busStandardOperations", orders * BUS_OPERATIONS, "counted"),
    use("request units (a model)", "cosmosServerless", unitsIn(zones, orders * perOrder.requestUnits), "counted"),
    use("orders kept for a month", "cosmosStorage", orders * ORDER_GB, "assumed"),
    use("the engine's storage requests", "storageQueue", orders * realHost.storageRequests, "counted"),
    use("logs", "logs", orders * recordsOf(traces) * RECORD_GB, "assumed"),
  ];
}

export interface Alternative {
  readonly name: string;
  readonly uses: readonly Use[];
}

/** The same workflow of five steps elsewhere, without what runs the steps where it is billed apart, unless it is said. */
export function elsewhere(orders: number): Alternative[] {
  return [
    {
      name: "AWS Step Functions, Standard",
      uses: [
        use("10 transitions: start, 5 steps, parallel, 2 choices, end", "stepFunctions", orders * 10, "assumed"),
        use("5 functions of 0.2 s and 0.5 GB", "lambda", orders * 5 * 0.2 * 0.5, "assumed"),
      ],
    },
    {
      name: "Temporal Cloud, without workers",
      uses: [
        use("the smallest plan", "temporalPlan", 1, "assumed"),
        use(
          "13 actions: start, 5 activities, 5 timers, signal, search attribute",
          "temporalActions",
          Math.max(0, orders * 13 - 1_000_000),
          "assumed",
        ),
      ],
    },
    {
      name: "Azure Logic Apps, Consumption",
      uses: [
        use("11 built-in actions: 5 calls, 5 conditions, a scope", "logicAppsAction", orders * 11, "assumed"),
        use("2 calls of the Service Bus connector", "logicAppsConnector", orders * 2, "assumed"),
      ],
    },
  ];
}

function use(what: string, meter: string, quantity: number, basis: Basis): Use {
  return { what, meter, quantity, basis };
}

/** Counted over a day, since every schedule here comes round within one. */
export function runsAMonth(schedule: string): number {
  const cron = new Cron(schedule, { domAndDow: true, timezone: "UTC" });
  const begin = new Date("2026-01-01T00:00:00Z");
  const first = cron.nextRun(begin);
  const second = first && cron.nextRun(first);
  if (!first || !second) return 0;
  const every = (second.getTime() - first.getTime()) / 1000;
  return SECONDS / every;
}
