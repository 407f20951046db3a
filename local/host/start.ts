// Starts the host in this process, on the settings that Core Tools would give the app.
import { resolve } from "node:path";
import { createDurableEngine } from "./durable/engine.ts";
import { Host, type HostOptions } from "./host.ts";
import { listen } from "./server.ts";
import { readLocalSettings, type Settings } from "./settings.ts";

export type { HostOptions } from "./host.ts";

export interface RunningHost {
  readonly port: number;
  readonly baseUrl: string;
  readonly functions: readonly { readonly name: string; readonly triggerType: string }[];
  /** Receives nothing more, lets what runs end for at most `graceMs`, hands back the rest, and leaves the port. */
  close(): Promise<void>;
}

/** For answers that are still on their way when nothing runs any more. */
const SERVER_CLOSE_MS = 300;

export async function startHost(options: HostOptions): Promise<RunningHost> {
  const appDir = resolve(options.appDir);
  const undo: (() => unknown)[] = [];
  try {
    const server = await listen(options.port);
    undo.push(() => server.close(SERVER_CLOSE_MS));
    const settings = { ...readLocalSettings(appDir), ...definedOnly(process.env), ...options.settings };
    undo.push(
      putIntoEnvironment({
        ...settings,
        AZURE_FUNCTIONS_ENVIRONMENT: "Development",
        WEBSITE_HOSTNAME: `127.0.0.1:${server.port}`,
      }),
    );
    const host = new Host(options, appDir, settings, server, createDurableEngine);
    undo.push(() => host.close());
    await host.start();
    return {
      port: server.port,
      baseUrl: host.baseUrl,
      functions: host.functions.map(({ name, trigger }) => ({ name, triggerType: trigger.type })),
      close: () => unwind(undo),
    };
  } catch (cause) {
    await unwind(undo);
    throw cause;
  }
}

function definedOnly(environment: NodeJS.ProcessEnv): Settings {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Sets what differs, as the app reads its settings there; the answer puts it back. */
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

/** Undoes the steps of the start, the last first. */
async function unwind(undo: (() => unknown)[]): Promise<void> {
  for (let step = undo.pop(); step; step = undo.pop()) await step();
}
