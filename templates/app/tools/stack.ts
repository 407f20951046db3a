// The app on the local stack: Service Bus, Cosmos DB, Azurite, the simulated services and the Functions host, all on this machine.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createJobClient, type JobClient } from "@scheduler-agent-supervisor/client";
import { type Addresses, type Stack, type StackOptions, startStack } from "@scheduler-agent-supervisor/local";
import { business } from "../shared/business.ts";
import { ROOT } from "./build.ts";
import { SESSION_REPLY_QUEUE } from "./every-app/reply-queues.ts";

const { usual, usualWorkflow } = business.contracts;
const { idName } = usual;

export const QUEUES_FILE = join(ROOT, "infra/entities/service-bus.json");

type AppOptions = Pick<StackOptions, "data" | "ports" | "queuesFile" | "onProgress" | "onExit"> & {
  /** Over the app's own. */
  readonly settings?: Readonly<Record<string, string>>;
};

/** Starts the app as it is compiled. */
export function startApp({ settings, queuesFile = QUEUES_FILE, ...options }: AppOptions): Promise<Stack> {
  return startStack({
    ...options,
    appDir: ROOT,
    settingsFor: (addresses) => ({ ...settingsFor(addresses), ...settings }),
    queuesFile,
    cosmosFile: join(ROOT, "infra/entities/cosmos.json"),
    remotesFile: join(ROOT, "samples/remotes.ts"),
  });
}

/** The settings of local.settings.sample.json, with the stack's own addresses in the place of the usual ones. */
export function settingsFor({ bus, cosmos, azurite, remotes }: Addresses): Record<string, string> {
  const endpoints = business.serviceAgents.flatMap(({ name, service }) =>
    remotes[name] ? [[service.setting, remotes[name]]] : [],
  );
  return {
    ...sampleSettings(),
    ...Object.fromEntries(endpoints),
    ...(bus && { ServiceBus: bus.connectionString }),
    ...(cosmos && { Cosmos: cosmos.connectionString }),
    ...(azurite && { AzureWebJobsStorage: azurite.connectionString }),
  };
}

/** A client that sends jobs and receives what becomes of them. */
export function openClient({ addresses }: Stack): JobClient {
  const { bus } = addresses;
  if (!bus) throw new Error("the stack has no bus");
  const queues = { jobsQueue: "jobs", priorityQueue: "jobs-priority", replyQueue: SESSION_REPLY_QUEUE };
  return createJobClient({ connection: bus.connectionString, ...queues, idName, usualWorkflow });
}

/** The content of the first sample, under that id or one of its own. */
export function sampleJob(id = `${usualWorkflow}-${Date.now().toString(36)}`) {
  const { samples } = readJson("samples/samples.json") as { readonly samples: readonly { readonly file: string }[] };
  const [first] = samples;
  if (!first) throw new Error("samples/samples.json names no sample");
  return { ...readJson(`samples/${first.file}`), [idName]: id };
}

const sampleSettings = () =>
  (readJson("local.settings.sample.json") as { readonly Values: Readonly<Record<string, string>> }).Values;

const readJson = (file: string) => JSON.parse(readFileSync(join(ROOT, file), "utf8")) as object;
