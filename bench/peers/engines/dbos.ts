// DBOS: a workflow for each order, started over a queue in PostgreSQL.
import { DBOS } from "@dbos-inc/dbos-sdk";
import {
  type EngineSettings,
  ORDERS_AT_ONCE,
  type PeerOrder,
  type Report,
  type RunningEngine,
  runEngine,
  serveOrders,
  workThrough,
} from "../engine.ts";
import { versionOf } from "../installed.ts";
import { startPostgres } from "../postgres.ts";

const QUEUE = "orders";
/** Its default is a second; shorter costs CPU time, longer shows in p50. */
const QUEUE_POLL_MS = 20;
const CONNECTIONS = 32;
/** How often the ends of orders are looked for: seldom in a burst, whose length in seconds is all that matters. */
const END_POLL_MS = 5;
const END_POLL_IN_BURST_MS = 100;
const MANY = 100;

async function start({ data, remotes }: EngineSettings, report: Report): Promise<RunningEngine> {
  const postgres = await startPostgres(data);
  try {
    const run = DBOS.registerWorkflow(
      (order: PeerOrder) =>
        workThrough(order, remotes, {
          step: (name, step) => DBOS.runStep(step, { name }),
          status: (status) => DBOS.setEvent("status", status),
        }),
      { name: "order" },
    );
    DBOS.setConfig({
      name: "peers",
      systemDatabaseUrl: postgres.url,
      systemDatabasePoolSize: CONNECTIONS,
      logLevel: "warn",
    });
    await DBOS.launch();
    await DBOS.registerQueue(QUEUE, { workerConcurrency: ORDERS_AT_ONCE, minPollingIntervalMs: QUEUE_POLL_MS });
    const watch = watchEnds(report);
    const url = await serveOrders(async (order) => {
      await DBOS.startWorkflow(run, { workflowID: order.orderId, queueName: QUEUE })(order);
      watch(order.orderId);
    });
    return {
      url,
      end: "message",
      versions: [versionOf("@dbos-inc/dbos-sdk"), postgres.version],
      async stop() {
        await DBOS.shutdown();
        await postgres.stop();
      },
    };
  } catch (cause) {
    await postgres.stop();
    throw cause;
  }
}

/** DBOS tells nobody of an end: a client asks for it. One question for all orders costs less than its own for each. */
function watchEnds(report: Report): (orderId: string) => void {
  const open = new Set<string>();
  let isWatching = false;
  async function look(): Promise<void> {
    while (open.size > 0) {
      const ended = await DBOS.listWorkflows({
        workflowIDs: [...open],
        status: ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"],
        loadInput: false,
        loadOutput: false,
      });
      for (const { workflowID, status } of ended) if (open.delete(workflowID)) report(workflowID, status !== "SUCCESS");
      const pause = open.size > MANY ? END_POLL_IN_BURST_MS : END_POLL_MS;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    isWatching = false;
  }
  return (orderId) => {
    open.add(orderId);
    if (isWatching) return;
    isWatching = true;
    void look();
  };
}

await runEngine(start);
