// The process that runs the host and the app; the watcher forks it, listens to its heartbeat, and starts it again when it dies.
import { describeFault } from "./invocation.ts";
import { bufferedWriter } from "./log.ts";
import { type RunningHost, startHost } from "./start.ts";
import type { WatcherMessage, WorkerMessage, WorkerOptions } from "./watcher-messages.ts";

const HEARTBEAT_MS = 500;

const tell = (message: WorkerMessage): void => {
  if (process.connected) process.send?.(message);
};

const output = bufferedWriter((text) => process.stdout.write(text));
process.on("exit", () => output.flush());
// Without the watcher nobody would restart or stop this process, and a second host could not have its port.
process.on("disconnect", () => process.exit(1));
// A terminal sends Ctrl+C to both processes; the watcher says over IPC when to stop.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => undefined);

const options = JSON.parse(process.argv[2] ?? "{}") as WorkerOptions;
// As under Core Tools, the app's own folder is where its relative paths begin.
process.chdir(options.appDir);
setInterval(() => tell({ kind: "beat" }), HEARTBEAT_MS);
tell({ kind: "beat" });

let host: RunningHost | undefined;
process.on("message", async (message: WatcherMessage) => {
  if (message.kind !== "stop") return;
  await host?.close().catch((cause: unknown) => output.line(describeFault(cause)));
  process.exit(0);
});

try {
  host = await startHost({
    ...options,
    log: output.line,
    onTimeout: () => {
      output.flush();
      process.exit(1);
    },
  });
  tell({ kind: "ready", port: host.port });
} catch (cause) {
  output.flush();
  process.send?.({ kind: "failed", fault: faultText(cause) } satisfies WorkerMessage, () => process.exit(1));
}

function faultText(cause: unknown): string {
  if (!(cause instanceof Error)) return describeFault(cause);
  const inner = cause.cause instanceof Error && !cause.message.includes(cause.cause.message) ? cause.cause : undefined;
  return inner ? `${cause.message}\n${describeFault(inner)}` : cause.message;
}
