// The process that runs the host and the app; the watcher forks it, listens to its heartbeat, and starts it again when it dies.
import { spawnSync } from "node:child_process";
import { isError, messageOf } from "../thrown.ts";
import { describeFault } from "./invocation.ts";
import { bufferedWriter } from "./log.ts";
import { describeApp, type RunningHost, startHost } from "./start.ts";
import type { WatcherMessage, WorkerMessage, WorkerOptions } from "./watcher-messages.ts";

const HEARTBEAT_MS = 500;
/** For one that is asked to end by a signal, and not by the watcher. */
const GRACE_MS = 4000;

const options = JSON.parse(process.argv[2] ?? "{}") as WorkerOptions;

const tell = (message: WorkerMessage, then?: () => void): void => {
  if (process.connected) process.send?.(message, undefined, undefined, then);
};

// A full disk under the file that the output goes to costs lines, and not the worker.
process.stdout.on("error", () => undefined);
const output = bufferedWriter((text) => process.stdout.write(text));
process.on("exit", () => output.flush());
// Without the watcher nobody would restart or stop this process, and a second host could not have its port.
process.on("disconnect", () => {
  output.flush();
  endAtOnce();
});
// A terminal sends Ctrl+C to all processes; the watcher says over IPC when to stop.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => {
  // One instance of several may be taken away, as by a scale-in; the watcher starts another.
  if (options.role) void stop(GRACE_MS);
});

// As under Core Tools, the app's own folder is where its relative paths begin.
process.chdir(options.appDir);
setInterval(() => tell({ kind: "beat" }), HEARTBEAT_MS);
tell({ kind: "beat" });

let host: RunningHost | undefined;
let activityPorts: readonly number[] = [];
process.on("message", (message: WatcherMessage) => {
  switch (message.kind) {
    case "stop":
      void stop(message.graceMs);
      break;
    case "hold":
      host?.hold();
      break;
    case "activityPorts":
      activityPorts = message.ports;
      host?.shareActivities(activityPorts);
      break;
    default:
      message satisfies never;
  }
});

async function stop(graceMs: number): Promise<void> {
  tell({ kind: "leaving" });
  await host?.close(graceMs).catch((cause: unknown) => output.line(describeFault(cause)));
  process.exit(0);
}

try {
  if (options.describeFor !== undefined) {
    const app = await describeApp({ ...options, log: output.line }, options.describeFor);
    tell({ kind: "described", app }, () => process.exit(0));
  } else {
    host = await startHost({
      ...options,
      log: output.line,
      onTimeout: () => {
        output.flush();
        process.exit(1);
      },
    });
    host.shareActivities(activityPorts);
    tell({ kind: "ready", port: host.port });
  }
} catch (cause) {
  output.flush();
  tell({ kind: "failed", fault: faultText(cause) }, () => process.exit(1));
}

function faultText(cause: unknown): string {
  if (!isError(cause)) return describeFault(cause);
  const message = messageOf(cause);
  const inner = isError(cause.cause) && !message.includes(messageOf(cause.cause)) ? cause.cause : undefined;
  return inner ? `${message}\n${describeFault(inner)}` : message;
}

/** Before an exit Node writes the cache of compiled modules, which takes seconds; also before it sends itself a signal, but not if another does. */
function endAtOnce(): void {
  spawnSync("kill", ["-KILL", String(process.pid)]);
  // Where there is no such command, as on Windows.
  process.kill(process.pid, "SIGKILL");
}
