// The host in the flex topology: a router at the app's address, and behind it a process for each group of functions.
import { openServer } from "../http/server.ts";
import { Watcher, type WatcherOptions } from "../watcher.ts";
import type { InstanceStatus } from "../watcher-messages.ts";
import { type DescribedApp, type InstanceCounts, rolesOf } from "./groups.ts";
import { Instances } from "./instances.ts";
import { Router } from "./router.ts";

interface FlexOptions extends Pick<WatcherOptions, "worker" | "hangAfterMs" | "longestPauseMs" | "say"> {
  readonly instanceCounts: InstanceCounts;
  /** Told whenever a process begins, is ready or ends. */
  readonly onChange: (instances: readonly InstanceStatus[]) => void;
}

/** For answers that are still on their way when nothing runs any more. */
const SERVER_CLOSE_MS = 300;

export class FlexHost {
  readonly #options: FlexOptions;
  readonly #state = { isStarted: false, isStopping: false };
  #describing: Watcher | undefined;
  #instances: Instances | undefined;

  constructor(options: FlexOptions) {
    this.#options = options;
  }

  /** Resolves with the exit code of the command. */
  async run(): Promise<number> {
    const { worker, say, instanceCounts, onChange, hangAfterMs, longestPauseMs } = this.#options;
    const router = new Router();
    const server = await openServer(worker.port, (request, response) => router.answer(request, response));
    const publicUrl = `http://127.0.0.1:${server.port}`;
    const app = await this.#describe(publicUrl);
    if (!app) return this.#state.isStopping ? 0 : 1;
    const roles = rolesOf(app, instanceCounts, publicUrl);
    const instances = new Instances(roles, {
      worker,
      say,
      hangAfterMs,
      longestPauseMs,
      onChange: () => onChange(instances.statuses),
    });
    this.#instances = instances;
    router.serve({ functions: app.functions, instances, checksKeys: worker.keys === true, state: this.#state });
    instances.start();
    void instances.allReady().then(() => {
      this.#state.isStarted = true;
      this.#announce(app, publicUrl);
    });
    const code = await instances.ended;
    if (code !== 0) instances.kill();
    await server.close(SERVER_CLOSE_MS);
    return code;
  }

  /** Lets all drain; asked a second time, kills them. */
  stop(graceMs: number): void {
    const isFirst = !this.#state.isStopping;
    this.#state.isStopping = true;
    this.#describing?.stop(0);
    if (isFirst) void this.#instances?.stop(graceMs);
    else this.#instances?.kill();
  }

  /** Undefined where the app can't start, which its process has said, or where it was stopped. */
  async #describe(publicUrl: string): Promise<DescribedApp | undefined> {
    const { promise, resolve } = Promise.withResolvers<DescribedApp>();
    const { worker, say, hangAfterMs, longestPauseMs } = this.#options;
    const watcher = new Watcher({
      say,
      hangAfterMs,
      longestPauseMs,
      worker: { ...worker, describeFor: publicUrl },
      name: "the process that describes the app",
      onMessage: (message) => {
        if (message.kind === "described") resolve(message.app);
      },
    });
    this.#describing = watcher;
    watcher.start();
    const described = await Promise.race([promise, watcher.ended.then(() => undefined)]);
    this.#describing = undefined;
    return described;
  }

  #announce({ functions }: DescribedApp, publicUrl: string): void {
    const lines = this.#instances?.statuses.map(({ name, group, pid }) => {
      const own = functions.filter((one) => one.group === group && !one.isDisabled).map((one) => one.name);
      return `  ${name} (process ${pid}): ${own.join(", ")}`;
    });
    process.stdout.write([`Functions host ready on ${publicUrl}`, "", ...(lines ?? []), "", ""].join("\n"));
  }
}
