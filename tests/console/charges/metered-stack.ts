// A stack whose app reaches the store through the meter, and whose timers run only when a test says so.
import { setTimeout as sleep } from "node:timers/promises";
import { NEVER, startTestStack, UNCOUNTED } from "../../support/test-stack.ts";
import { type Spent, startMeter } from "./meter.ts";

const QUIET_MS = 1500;
/** What was started makes its first request by then. */
const BEGUN_MS = 20_000;
const POLL_MS = 50;

type Given = Pick<NonNullable<Parameters<typeof startTestStack>[0]>, "data" | "appDir">;

export interface MeteredStack extends AsyncDisposable {
  readonly app: Awaited<ReturnType<typeof startTestStack>>;
  readonly host: string;
  readonly spent: Spent;
  /** Runs that timer once. Answers what is spent once nothing has been asked for half a second. */
  run(timer: string): Promise<Spent>;
  /** The app in a new process, which has counted nothing yet. */
  restart(): Promise<void>;
}

export async function startMeteredStack(given: Given): Promise<MeteredStack> {
  const meter = await startMeter();
  const app = await startTestStack({
    ...given,
    appSettings: ({ cosmos }) => {
      meter.target = cosmos?.port ?? 0;
      const proxied = cosmos?.connectionString.replace(String(cosmos.port), String(meter.port)) ?? "";
      // Timers cost the same whether anybody looks or not.
      return { Cosmos: proxied, ...UNCOUNTED, SupervisorSchedule: NEVER };
    },
  });
  const host = app.stack.addresses.host?.url ?? "";

  /** What the app checks when it starts is spent by then. */
  async function quiet(): Promise<Spent> {
    // A busy machine pauses between two of its questions.
    for (let last = meter.spent; ; last = meter.spent) {
      await sleep(QUIET_MS);
      if (meter.spent.requests === last.requests) return last;
    }
  }

  async function beyond(requests: number, who: string): Promise<void> {
    const until = Date.now() + BEGUN_MS;
    while (meter.spent.requests === requests) {
      if (Date.now() > until) throw new Error(`${who} asked the store for nothing`);
      await sleep(POLL_MS);
    }
  }

  await beyond(0, "the app at its start");
  await quiet();
  return {
    app,
    host,
    get spent() {
      return meter.spent;
    },
    async restart() {
      const { requests } = meter.spent;
      await app.stack.kill("host");
      await app.stack.restart("host");
      await beyond(requests, "the app at its start");
      await quiet();
    },
    async run(timer) {
      const { requests } = meter.spent;
      const { status } = await app.call(`admin/functions/${timer}`, { method: "POST", body: "{}" });
      if (status !== 202) throw new Error(`the host does not run ${timer}: ${status}`);
      // The host answers before it begins.
      await beyond(requests, timer);
      return quiet();
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await meter[Symbol.asyncDispose]();
    },
  };
}
