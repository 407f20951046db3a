// What is compared: a host that runs the app, which can be killed and come back. The real one, and the project's own.

import type { Stack } from "@scheduler-agent-supervisor/local";
import { processTree } from "../../bench/measure.ts";
import type { Settings } from "../../cli/every-app/stack-file.ts";
import type { HostFolder } from "./host-folder.ts";
import type { Project } from "./project.ts";
import { RealHost } from "./real-host.ts";

export type HostKind = "real" | "local";
/** Who is killed by SIGKILL; `drained` is the host, asked to end by SIGTERM as at a scale-in or a deployment. */
export type Victim = "host" | "worker" | "both" | "drained";

export const HOW_ENDED: Readonly<Record<Victim, string>> = {
  host: "kill -9 of the host",
  worker: "kill -9 of the worker",
  both: "kill -9 of host and worker",
  drained: "SIGTERM to the host",
};

export interface HostUnderTest {
  /** The host's own process, and the worker that runs the app's code. Undefined while it doesn't live. */
  readonly pids: { readonly host: number | undefined; readonly worker: number | undefined };
  /** Which of its processes can die by themselves. */
  readonly victims: readonly Victim[];
  /** Resolves when it has happened. */
  kill(victim: Victim): Promise<void>;
  /** Brings it back after a kill, where it does not come back by itself. Resolves when it runs the app. */
  recover(): Promise<void>;
  stop(): Promise<void>;
}

interface HostOptions {
  readonly project: Project;
  readonly settings: Settings;
  /** For logs and keys. */
  readonly data: string;
  /** Gets each line of the host's console, which then has all that the host says. */
  readonly onLine?: ((line: string) => void) | undefined;
}

export type HostStart = (options: HostOptions) => Promise<HostUnderTest>;

export function realHostStart(folder: HostFolder, app: string): HostStart {
  return ({ settings, data, onLine }) => RealHost.start({ folder, app, settings, data, onLine });
}

/** The project's own host, in a stack that has nothing else. */
export const startLocalHost: HostStart = async ({ project, settings, data }) => {
  const stack = await project.startStack({ appDir: project.dir, data, settings, parts: [], ports: "free" });
  return new LocalHost(stack);
};

class LocalHost implements HostUnderTest {
  /** The stack ends a host's worker with it, and the host ends with its worker. */
  readonly victims = ["both"] as const;
  readonly #stack: Stack;

  constructor(stack: Stack) {
    this.#stack = stack;
  }

  get pids(): HostUnderTest["pids"] {
    const host = this.#stack.processes.find(({ name }) => name === "host")?.pid;
    return { host, worker: host === undefined ? undefined : processTree(host)[1] };
  }

  kill(victim: Victim): Promise<void> {
    return this.#stack.kill("host", victim === "drained" ? "SIGTERM" : "SIGKILL");
  }

  recover(): Promise<void> {
    return this.#stack.restart("host");
  }

  stop(): Promise<void> {
    return this.#stack.stop();
  }
}
