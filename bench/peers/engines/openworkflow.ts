// openworkflow: a workflow for each order, in a SQLite database of the engine's own process.
import { join } from "node:path";
import { OpenWorkflow } from "openworkflow";
import { BackendSqlite } from "openworkflow/sqlite";
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

/** The database is in WAL mode, and `synchronous` is FULL, SQLite's default: each commit is flushed. */
async function start({ data, remotes }: EngineSettings, report: Report): Promise<RunningEngine> {
  const backend = BackendSqlite.connect(join(data, "openworkflow.db"));
  reportEnds(backend, report);
  const client = new OpenWorkflow({ backend });
  const workflow = client.defineWorkflow<PeerOrder, void>({ name: "order" }, ({ input, step }) =>
    workThrough(input, remotes, {
      step: (name, run) => step.run({ name }, run),
      // It has no other place for a status that is stored while the order runs.
      status: (status, at) => step.run({ name: `status ${at}` }, async () => status),
    }),
  );
  const worker = client.newWorker({ concurrency: ORDERS_AT_ONCE });
  await worker.start();
  const url = await serveOrders((order) => workflow.run(order, { idempotencyKey: order.orderId }));
  return {
    url,
    end: "message",
    versions: [versionOf("openworkflow"), `SQLite ${process.versions["sqlite"]}`],
    async stop() {
      await worker.stop();
      await backend.stop();
    },
  };
}

/** A client would ask for the result again and again; this says the end when it has been stored, and costs nothing. */
function reportEnds(backend: BackendSqlite, report: Report): void {
  const complete = backend.completeWorkflowRun.bind(backend);
  backend.completeWorkflowRun = async (ending) => {
    const run = await complete(ending);
    report(run.idempotencyKey ?? "", false);
    return run;
  };
  const fail = backend.failWorkflowRun.bind(backend);
  backend.failWorkflowRun = async (ending) => {
    const run = await fail(ending);
    if (run.status === "failed") report(run.idempotencyKey ?? "", true);
    return run;
  };
}

await runEngine(start);
