// What the app is given: the settings of a stack while it runs, else the sample settings.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Addresses, readLocalSettings } from "@scheduler-agent-supervisor/local";
import { business } from "../shared/business.ts";
import { ROOT } from "./every-app/root.ts";
import { readStackFile, type Settings } from "./every-app/stack-file.ts";

export { ROOT } from "./every-app/root.ts";

/** Who looks at a trace on this machine does not want to wait for it. */
const SENT_AT_ONCE = { OTEL_BSP_SCHEDULE_DELAY: "500", OTEL_METRIC_EXPORT_INTERVAL: "5000" };

export const QUEUES_FILE = join(ROOT, "infra/entities/service-bus.json");

/** The setting that lists the submission queues of one sender each, as Bicep makes it of the same file. */
export function partiesIn(queuesFile: string): Record<"SubmissionQueues", string> {
  const { queues } = JSON.parse(readFileSync(queuesFile, "utf8")) as {
    readonly queues: readonly { readonly name: string; readonly submission?: object }[];
  };
  const owned = queues.flatMap(({ name, submission }) => (submission ? [{ queue: name, ...submission }] : []));
  return { SubmissionQueues: JSON.stringify(owned) };
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
  return readStackFile(data)?.settings ?? { ...sampleSettings(), ...localSettings() };
}

/** What local.settings.json has, as the host reads it. @throws naming the file, where it is no such file */
export const localSettings = (): Settings => readLocalSettings(ROOT);

export const sampleSettings = (): Settings => readLocalSettings(ROOT, "local.settings.sample.json");
