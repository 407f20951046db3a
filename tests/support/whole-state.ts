// All that is stored, waiting or measured: what changes nothing leaves each of them as it was.
import { join } from "node:path";
import { openTraces } from "@scheduler-agent-supervisor/local/traces";
import { messagesIn } from "./queue-contents.ts";
import { databaseOf, seenByAll } from "./store.ts";
import type { TestStack } from "./test-stack.ts";

/** The documents of each container with their versions, and how many messages each queue has. */
export async function wholeState(app: TestStack, queueNames: readonly string[]) {
  await seenByAll();
  const database = databaseOf(app.settings);
  const { resources: containers } = await database.containers.readAll().fetchAll();
  const documents: Record<string, unknown> = {};
  for (const { id } of containers) {
    const { resources } = await database.container(id).items.query("SELECT * FROM c ORDER BY c._ts").fetchAll();
    documents[id] = resources.map((one: { id: string; _etag: string }) => `${one.id} ${one._etag}`).sort();
  }
  const queues: Record<string, number> = {};
  for (const queue of queueNames) queues[queue] = (await messagesIn(app.bus, queue).catch(() => [])).length;
  return { documents, queues };
}

/** Every metric with its attributes, as the stack in the folder has received it. */
export function metricSeries(data: string): string[] {
  const reader = openTraces(join(data, "traces"));
  try {
    return (reader?.points() ?? []).map(({ metric, attributes }) => `${metric} ${JSON.stringify(attributes)}`).sort();
  } finally {
    reader?.close();
  }
}
