// Where the deployed app is, as azd knows it, and clients for it with the developer's own sign-in.
import { spawnSync } from "node:child_process";
import { ConsistencyLevel, CosmosClient } from "@azure/cosmos";
import { ServiceBusClient, type ServiceBusClientOptions } from "@azure/service-bus";
import { credentialOf } from "@scheduler-agent-supervisor/core/create-app";
import type { Settings } from "../every-app/stack-file.ts";
import { ROOT } from "../settings.ts";

/** What azd calls an output of the deployment, and what the app calls it. */
const OUTPUTS = [
  ["SERVICE_BUS_NAMESPACE", "ServiceBus__fullyQualifiedNamespace"],
  ["COSMOS_ENDPOINT", "Cosmos__accountEndpoint"],
] as const;

type Answer = { status: number | null; stdout: string; stderr: string };

/** What azd knows of its environment: what was chosen, and the outputs of the deployment. @throws what to do where it knows none. */
export function azdValues(run: () => Answer = askAzd): ReadonlyMap<string, string> {
  const { status, stdout, stderr } = run();
  if (status === null)
    throw new Error("--azure needs azd to find the app, and azd can't be run: install it (https://aka.ms/azd).");
  if (status !== 0) throw new Error(`azd did not return the app's address: ${stderr.trim() || stdout.trim()}`);
  return new Map([...stdout.matchAll(/^(\w+)="?(.*?)"?\r?$/gm)].map(([, name = "", value = ""]) => [name, value]));
}

/** @throws what to do where azd is not there, or knows of no deployment. */
export function azureSettings(run: () => Answer = askAzd): Settings {
  const values = azdValues(run);
  const lacking = OUTPUTS.flatMap(([output]) => (values.get(output) ? [] : [output]));
  if (lacking.length > 0) {
    throw new Error(
      `azd's environment has no ${lacking.join(" and no ")}: run azd up, or choose another with azd env select.`,
    );
  }
  return Object.fromEntries(OUTPUTS.map(([output, setting]) => [setting, values.get(output) ?? ""]));
}

function askAzd(): Answer {
  const { status, stdout, stderr, error } = spawnSync("azd", ["env", "get-values"], { cwd: ROOT, encoding: "utf8" });
  return { status: error ? null : status, stdout, stderr };
}

/** On this machine's account: Azure CLI, azd, or what else DefaultAzureCredential finds. */
export const ownSignIn = () => credentialOf({ credential: undefined, clientId: undefined });

export function openBus(settings: Settings, options: ServiceBusClientOptions): ServiceBusClient {
  const namespace = settings["ServiceBus__fullyQualifiedNamespace"];
  return namespace
    ? new ServiceBusClient(namespace, ownSignIn(), options)
    : new ServiceBusClient(settings["ServiceBus"] ?? "", options);
}

export function openCosmos(settings: Settings): CosmosClient {
  const endpoint = settings["Cosmos__accountEndpoint"];
  // As the app's own client: without this the SDK sends no session tokens, and a read may miss the write before it.
  const consistencyLevel = ConsistencyLevel.Session;
  return endpoint
    ? new CosmosClient({ endpoint, aadCredentials: ownSignIn(), consistencyLevel })
    : new CosmosClient({ connectionString: settings["Cosmos"] ?? "", consistencyLevel });
}
