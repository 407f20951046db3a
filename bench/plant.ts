// A store with a past: orders that have ended and that failed, and the attempts that the engine keeps of them.
import { join } from "node:path";
import {
  Database,
  executionStarted,
  InstanceStore,
  taskCompleted,
  taskScheduled,
} from "@scheduler-agent-supervisor/local/storage";
import { fill } from "../tests/console/charges/fill.ts";
import { sampleRecord, THREE_STEPS } from "../tests/support/orders.ts";

export interface Past {
  readonly ended: number;
  readonly failed: number;
}

const IN_ONE_WRITE = 1000;

/** Before the stack starts on the folder. */
export async function plant(folder: string, { ended, failed }: Past, hubName: string): Promise<void> {
  await fill(folder, { from: 0, ended, failed, inFlight: 0 }, Date.now());
  const database = new Database(join(folder, "host", `durable-${hubName}.sqlite`), "normal", { shrinks: true });
  try {
    const store = new InstanceStore(database);
    for (let from = 0; from < ended + failed; from += IN_ONE_WRITE) {
      const until = Math.min(from + IN_ONE_WRITE, ended + failed);
      await database.write(() => {
        for (let at = from; at < until; at += 1) {
          plantAttempt(store, at < ended ? `stored-${at}` : `failed-${at - ended}`);
        }
      });
    }
  } finally {
    database.close();
  }
}

/** As an attempt with three steps leaves it: the record goes in and out of each. */
function plantAttempt(store: InstanceStore, orderId: string): void {
  const at = new Date();
  const input = JSON.stringify(sampleRecord(orderId, THREE_STEPS));
  const creation = store.create({ id: `${orderId}-1`, name: "scheduler", input, at: at.getTime() });
  if (creation.kind !== "created") return;
  const { int } = creation;
  store.appendHistory(int, 0, [executionStarted(at, "scheduler", input), taskScheduled(at, 0, "agent", input)]);
  for (const step of [1, 2]) {
    store.appendHistory(int, step, [taskCompleted(at, step - 1, input), taskScheduled(at, step, "agent", input)]);
  }
  store.appendHistory(int, 3, [taskCompleted(at, 2, input)]);
  store.end(int, "Completed", '"concluded"', null, at.getTime());
}
