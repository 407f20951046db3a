// Starts the host in this process, with the settings that Core Tools would give the app.
import { resolve } from "node:path";
import { createDurableEngine } from "./durable/engine.ts";
import type { DescribedApp } from "./flex/groups.ts";
import { Host } from "./host.ts";
import type { HostOptions } from "./host-options.ts";
import { listen } from "./http/server.ts";
import { readLocalSettings, type Settings } from "./settings.ts";

export type { HostOptions } from "./host-options.ts";

/** A running host, with the functions of its app. */
export interface RunningHost {
  readonly port: number;
  readonly baseUrl: string;
  readonly functions: readonly { readonly name: string; readonly triggerType: string }[];
  /** From now on starts no activity. */
  hold(): void;
  /** The ports of other processes that run activities for this one's engine, if it has one. */
  shareActivities(ports: readonly number[]): void;
  /** Receives nothing more, lets running functions end within the time (4 s if absent), returns the rest, and closes the port. */
  close(graceMs?: number): Promise<void>;
}

/** For answers that are still being sent after the last function has ended. */
const SERVER_CLOSE_MS = 300;
const GRACE_MS = 4000;

/**
 * Starts the host in this process. The app's settings are in the environment of this process until the host is closed. Resolves when the app's
 * functions receive.
 * @throws one error that names every function that can't run here, and Node's `EADDRINUSE` error for a busy port
 */
export async function startHost(options: HostOptions): Promise<RunningHost> {
  const appDir = resolve(options.appDir);
  const undo: (() => unknown)[] = [];
  let graceMs = GRACE_MS;
  try {
    const server = await listen(options.port);
    undo.push(() => server.close(SERVER_CLOSE_MS));
    const baseUrl = options.role?.publicUrl ?? `http://127.0.0.1:${server.port}`;
    const settings = settingsOf(options, appDir);
    undo.push(
      putIntoEnvironment({
        ...settings,
        AZURE_FUNCTIONS_ENVIRONMENT: "Development",
        WEBSITE_HOSTNAME: new URL(baseUrl).host,
      }),
    );
    const host = new Host(options, appDir, settings, baseUrl);
    undo.push(() => host.close(graceMs));
    await host.load();
    host.serve(server, createDurableEngine);
    return {
      port: server.port,
      baseUrl,
      functions: host.functions.map(({ name, trigger }) => ({ name, triggerType: trigger.type })),
      hold: () => host.hold(),
      shareActivities: (ports) => host.shareActivities(ports),
      close: (withinMs = GRACE_MS) => {
        graceMs = withinMs;
        return unwind(undo);
      },
    };
  } catch (cause) {
    await unwind(undo);
    throw cause;
  }
}

/** Returns the description of the app. It loads the app and runs none of its functions; end this process afterwards. Throws as `startHost` does. */
export async function describeApp(options: HostOptions, baseUrl: string): Promise<DescribedApp> {
  const appDir = resolve(options.appDir);
  const settings = settingsOf(options, appDir);
  putIntoEnvironment({ ...settings, AZURE_FUNCTIONS_ENVIRONMENT: "Development" });
  const host = new Host({ ...options, topology: "flex" }, appDir, settings, baseUrl);
  await host.load({ runsHooks: false });
  return host.describe();
}

function settingsOf({ settings }: HostOptions, appDir: string): Settings {
  return { ...readLocalSettings(appDir), ...definedOnly(process.env), ...settings };
}

function definedOnly(environment: NodeJS.ProcessEnv): Settings {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Sets the variables that differ, because the app reads its settings from the environment; the returned function restores them. */
function putIntoEnvironment(settings: Settings): () => void {
  const before = new Map<string, string | undefined>();
  for (const [name, value] of Object.entries(settings)) {
    if (process.env[name] === value) continue;
    before.set(name, process.env[name]);
    process.env[name] = value;
  }
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}

/** Reverses the steps of the start, the last first. */
async function unwind(undo: (() => unknown)[]): Promise<void> {
  for (let step = undo.pop(); step; step = undo.pop()) await step();
}
