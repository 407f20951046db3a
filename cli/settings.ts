// Where the running stack is and what of it the app is given: `.local/stack.json` while a stack runs, else the sample settings.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Addresses } from "@scheduler-agent-supervisor/local/stack/addresses";
import { business } from "../shared/business.ts";

export const ROOT = join(import.meta.dirname, "..");
export const DEFAULT_DATA = join(ROOT, ".local");

export type Settings = Readonly<Record<string, string>>;

interface StackFile {
  readonly pid: number;
  readonly settings: Settings;
  /** Where the app answers. */
  readonly app?: string | undefined;
}

/** As Functions Core Tools has it too. */
const USUAL_APP = "http://localhost:7071";

/** Who looks at a trace on this machine does not want to wait for it. */
const SENT_AT_ONCE = { OTEL_BSP_SCHEDULE_DELAY: "500", OTEL_METRIC_EXPORT_INTERVAL: "5000" };

export const QUEUES_FILE = join(ROOT, "infra/entities/service-bus.json");

/** The settings that list the submission queues of one sender each and the teams with a reply queue each, as Bicep makes them of the same file. */
export function partiesIn(queuesFile: string): Record<"SubmissionQueues" | "AgentTeams", string> {
  const { queues } = JSON.parse(readFileSync(queuesFile, "utf8")) as {
    readonly queues: readonly { readonly name: string; readonly submission?: object; readonly team?: object }[];
  };
  const owned = queues.flatMap(({ name, submission }) => (submission ? [{ queue: name, ...submission }] : []));
  return {
    SubmissionQueues: JSON.stringify(owned),
    AgentTeams: JSON.stringify(queues.flatMap(({ team }) => team ?? [])),
  };
}

/**
 * The app's settings as the sample has them, with a stack's own addresses in the place of the usual ones.
 * @param own what stands above the sample: see own-settings.ts
 */
export function settingsFor(addresses: Addresses, own: Settings = {}): Record<string, string> {
  const { bus, cosmos, azurite, remotes, traces, host } = addresses;
  return {
    ...sampleSettings(),
    ...own,
    ...partiesIn(QUEUES_FILE),
    // Its attempts are in a task hub of its own: they receive replies on a queue of their own.
    ...(host?.name === "host2" && { AgentRepliesQueue: "agent-replies-host2" }),
    ...(azurite && { AzureWebJobsStorage: azurite.connectionString }),
    ...(bus && { ServiceBus: bus.connectionString }),
    ...(cosmos && { Cosmos: cosmos.connectionString }),
    ...(traces && { ...SENT_AT_ONCE, OTEL_EXPORTER_OTLP_ENDPOINT: traces.endpoint }),
    ...agentSettings(remotes),
  };
}

/** Where the agents' simulated services answer. */
function agentSettings(remotes: Addresses["remotes"]): Record<string, string> {
  return Object.fromEntries(
    business.serviceAgents.flatMap(({ name, service: { setting } }) => {
      const address = remotes[name];
      return address === undefined ? [] : [[setting, address]];
    }),
  );
}

/** The settings of the stack that runs on `data`; without one, those of local.settings.json or its sample. */
export function currentSettings(data: string): Settings {
  return readStackFile(data)?.settings ?? { ...sampleSettings(), ...valuesOf(join(ROOT, "local.settings.json")) };
}

/** The process that runs a stack on `data`, if there is one. */
export function stackPid(data: string): number | undefined {
  const pid = readStackFile(data)?.pid;
  return pid !== undefined && isAlive(pid) ? pid : undefined;
}

/** For a folder that was named: another stack's ports are not used in place of its own. @throws if no stack runs on `data` */
export function requireStack(data: string): void {
  if (readStackFile(data) === undefined) {
    throw new Error(`No stack runs in ${data}: npm start${data === DEFAULT_DATA ? "" : ` -- --data ${data}`}`);
  }
}

/** Where the app answers that runs on `data`. */
export const appUrl = (data: string): string => readStackFile(data)?.app ?? USUAL_APP;

export function writeStackFile(data: string, settings: Settings, app?: string): void {
  mkdirSync(data, { recursive: true });
  writeFileSync(stackFile(data), JSON.stringify({ pid: process.pid, settings, app }, null, 2));
}

export function removeStackFile(data: string): void {
  rmSync(stackFile(data), { force: true });
}

function readStackFile(data: string): StackFile | undefined {
  const file = stackFile(data);
  if (!existsSync(file)) return undefined;
  const stack = JSON.parse(readFileSync(file, "utf8")) as StackFile;
  return isAlive(stack.pid) ? stack : undefined;
}

export function sampleSettings(): Settings {
  return valuesOf(join(ROOT, "local.settings.sample.json"));
}

/** The `Values` of a settings file, none if there is no such file. */
export function valuesOf(file: string): Settings {
  if (!existsSync(file)) return {};
  return (JSON.parse(readFileSync(file, "utf8")) as { Values: Settings }).Values;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const stackFile = (data: string) => join(data, "stack.json");
