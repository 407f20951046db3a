// The app on the local stack: Service Bus, Cosmos DB, Azurite, the simulated services and the Functions host, all on this machine.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createJobClient, type JobClient } from "@scheduler-agent-supervisor/client";
import { type Stack, type StackOptions, startStack } from "@scheduler-agent-supervisor/local";
import type { Addresses } from "@scheduler-agent-supervisor/local/stack/addresses";
import { business } from "../shared/business.ts";
import { ROOT } from "./build.ts";

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
  const { Values } = JSON.parse(readFileSync(join(ROOT, "local.settings.sample.json"), "utf8")) as {
    Values: Record<string, string>;
  };
  const endpoints = business.serviceAgents.flatMap(({ name, service }) =>
    remotes[name] ? [[service.setting, remotes[name]]] : [],
  );
  return {
    ...Values,
    ...Object.fromEntries(endpoints),
    ...(bus && { ServiceBus: bus.connectionString }),
    ...(cosmos && { Cosmos: cosmos.connectionString }),
    ...(azurite && { AzureWebJobsStorage: azurite.connectionString }),
  };
}

/** A client that sends registrations and receives what becomes of them. */
export function openClient({ addresses }: Stack): JobClient {
  const { bus } = addresses;
  if (!bus) throw new Error("the stack has no bus");
  const queues = {
    jobsQueue: "registrations",
    priorityQueue: "registrations-priority",
    replyQueue: "replies-shop-sessions",
  };
  return createJobClient({ connection: bus.connectionString, ...queues, idName: "registrationId" });
}

/** The sample registration under an id of its own. */
export function sampleRegistration() {
  const sample = JSON.parse(readFileSync(join(ROOT, "samples/registration.json"), "utf8")) as object;
  return { ...sample, registrationId: `registration-${Date.now().toString(36)}` };
}
