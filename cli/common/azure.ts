// Where the deployed app is, as azd knows it or a deployment's outputs say it, and clients for it with the sign-in of who deploys.
import { spawnSync } from "node:child_process";
import { ConsistencyLevel, CosmosClient } from "@azure/cosmos";
import { AzureCliCredential, AzureDeveloperCliCredential, type TokenCredential } from "@azure/identity";
import { ServiceBusClient, type ServiceBusClientOptions } from "@azure/service-bus";
import { credentialOf } from "@scheduler-agent-supervisor/core/create-app";
import { z } from "zod";
import { ROOT } from "../every-app/root.ts";
import type { Settings } from "../every-app/stack-file.ts";

export interface Deployment {
  /** What was chosen, as far as azd knows it, and the outputs. */
  readonly values: ReadonlyMap<string, string>;
  /** Who deploys has the rights: the account of azd, and where it was not used that of the Azure CLI. They may be two. */
  readonly signIn: "azd" | "az";
}

/** An output of the deployment, and the connection and its member that the app calls it. */
const OUTPUTS = [
  ["SERVICE_BUS_NAMESPACE", "ServiceBus", "fullyQualifiedNamespace"],
  ["COSMOS_ENDPOINT", "Cosmos", "accountEndpoint"],
] as const;

type Answer = { status: number | null; stdout: string; stderr: string };

/** What azd knows of its environment. @throws what to do where it knows none. */
export function azdDeployment(run: () => Answer = () => ask("azd", "env", "get-values")): Deployment {
  const { status, stdout, stderr } = run();
  if (status === null)
    throw new Error("--azure needs azd to find the app, and azd can't be run: install it (https://aka.ms/azd).");
  if (status !== 0) throw new Error(`azd did not return the app's address: ${stderr.trim() || stdout.trim()}`);
  const lines = stdout.matchAll(/^(\w+)="?(.*?)"?\r?$/gm);
  return { values: new Map([...lines].map(([, name = "", value = ""]) => [name, value])), signIn: "azd" };
}

export function setAzdValue(name: string, value: string): void {
  ask("azd", "env", "set", name, value);
}

const outputs = z.record(z.string(), z.object({ value: z.unknown() }));

/** The outputs of a deployment to the subscription that the Azure CLI is signed in to. @throws what to do where there is none. */
export function namedDeployment(
  name: string,
  run: () => Answer = () =>
    ask("az", "deployment", "sub", "show", "--name", name, "--query", "properties.outputs", "--output", "json"),
): Deployment {
  const { status, stdout, stderr } = run();
  if (status === null) throw new Error("--deployment needs the Azure CLI, and az can't be run: install it.");
  if (status !== 0) throw new Error(`az did not return the outputs of ${name}: ${stderr.trim() || stdout.trim()}`);
  const read = Object.entries(outputs.nullable().parse(JSON.parse(stdout)) ?? {});
  // Resource Manager changes letters to lower case at a name's beginning.
  return { values: new Map(read.map(([key, { value }]) => [key.toUpperCase(), String(value)])), signIn: "az" };
}

/** @throws what to do where nothing is deployed. */
export function azureSettings({ values, signIn }: Deployment): Settings {
  const lacking = OUTPUTS.flatMap(([output]) => (values.get(output) ? [] : [output]));
  if (lacking.length > 0) {
    const wanted = signIn === "azd" ? "azd's environment" : "the deployment";
    const advice = signIn === "azd" ? "run azd up, or choose another with azd env select" : "name another";
    throw new Error(`${wanted} has no ${lacking.join(" and no ")}: ${advice}.`);
  }
  return Object.fromEntries(
    OUTPUTS.flatMap(([output, connection, member]) => [
      [`${connection}__${member}`, values.get(output) ?? ""],
      [`${connection}__credential`, signIn],
    ]),
  );
}

function ask(command: string, ...args: string[]): Answer {
  // On Windows az is a command file, which is found by a shell alone.
  const shell = process.platform === "win32" && command === "az";
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: ROOT, encoding: "utf8", shell });
  return { status: error ? null : status, stdout, stderr };
}

/** By name, as a setting has it; any other is what DefaultAzureCredential finds on this machine. */
export function signInOf(name: string | undefined): TokenCredential {
  if (name === "azd") return new AzureDeveloperCliCredential();
  return name === "az" ? new AzureCliCredential() : credentialOf({ credential: undefined, clientId: undefined });
}

export function openBus(settings: Settings, options: ServiceBusClientOptions): ServiceBusClient {
  const namespace = settings["ServiceBus__fullyQualifiedNamespace"];
  return namespace
    ? new ServiceBusClient(namespace, signInOf(settings["ServiceBus__credential"]), options)
    : new ServiceBusClient(settings["ServiceBus"] ?? "", options);
}

export function openCosmos(settings: Settings): CosmosClient {
  const endpoint = settings["Cosmos__accountEndpoint"];
  // As the app's own client: without this the SDK sends no session tokens, and a read may miss the write before it.
  const consistencyLevel = ConsistencyLevel.Session;
  return endpoint
    ? new CosmosClient({ endpoint, aadCredentials: signInOf(settings["Cosmos__credential"]), consistencyLevel })
    : new CosmosClient({ connectionString: settings["Cosmos"] ?? "", consistencyLevel });
}
