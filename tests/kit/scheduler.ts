// The orchestrator of this app, as the test kit takes it.
import * as df from "durable-functions";

type Orchestrator = (context: unknown) => Generator<unknown, unknown, unknown>;

async function readOrchestrator(): Promise<Orchestrator> {
  const found: Orchestrator[] = [];
  const app = df.app as { orchestration: unknown };
  const register = app.orchestration;
  app.orchestration = (_name: string, orchestrator: Orchestrator) => found.push(orchestrator);
  await import("../../functions/scheduler.ts");
  app.orchestration = register;
  const [orchestrator] = found;
  if (!orchestrator) throw new Error("functions/scheduler.ts has to register an orchestrator");
  return orchestrator;
}

export const scheduler = await readOrchestrator();
