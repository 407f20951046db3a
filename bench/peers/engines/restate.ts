// Restate: a workflow for each order in a server of one node, whose log is flushed at each append.
import { once } from "node:events";
import { createServer } from "node:http2";
import { join } from "node:path";
import * as restate from "@restatedev/restate-sdk";
import { freePorts } from "@scheduler-agent-supervisor/local/stack/free-ports";
import { type EngineSettings, type PeerOrder, type RunningEngine, runEngine, workThrough } from "../engine.ts";
import { folderOf, RESTATE_SERVER, versionOf } from "../installed.ts";
import { startServer } from "../server-process.ts";

async function start({ data, remotes }: EngineSettings): Promise<RunningEngine> {
  const [ingress = 0, admin = 0, node = 0, endpoint = 0] = await freePorts(4);
  const running = await startServer("restate-server", {
    file: join(folderOf(RESTATE_SERVER), "bin/restate-server"),
    args: ["--no-logo", "--listen-mode", "tcp", "--node-name", "bench"],
    env: {
      RESTATE_BASE_DIR: join(data, "restate"),
      RESTATE_BIND_IP: "127.0.0.1",
      RESTATE_BIND_PORT: String(node),
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RESTATE_ADMIN__DISABLE_WEB_UI: "true",
      // Its default, said so that nothing overrides it.
      RESTATE_LOG_SERVER__ROCKSDB_DISABLE_WAL_FSYNC: "false",
      RESTATE_LOG_FILTER: "warn",
      RESTATE_DISABLE_TELEMETRY: "true",
    },
    isReady: async () =>
      (await isOk(`http://127.0.0.1:${admin}/health`)) && (await isOk(`http://127.0.0.1:${ingress}/restate/health`)),
  });
  try {
    const handler = restate.createEndpointHandler({ services: [orderWorkflow(remotes)] });
    await once(createServer(handler).listen(endpoint, "127.0.0.1"), "listening");
    await register(admin, endpoint);
  } catch (cause) {
    await running.stop();
    throw cause;
  }
  return {
    url: `http://127.0.0.1:${ingress}/order`,
    end: "answer",
    versions: [versionOf(RESTATE_SERVER), versionOf("@restatedev/restate-sdk")],
    stop: () => running.stop(),
  };
}

function orderWorkflow(remotes: readonly string[]) {
  return restate.workflow({
    name: "order",
    handlers: {
      run: (context: restate.WorkflowContext, order: PeerOrder) =>
        workThrough(order, remotes, {
          step: (name, run) => context.run(name, run),
          status: async (status) => context.set("status", status),
        }),
    },
  });
}

async function register(admin: number, endpoint: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${admin}/deployments`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ uri: `http://127.0.0.1:${endpoint}` }),
  });
  if (!response.ok) throw new Error(`restate-server did not take the workflow: ${await response.text()}`);
}

const isOk = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

await runEngine(start);
