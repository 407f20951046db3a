// The queues whose requests a simulated service's worker takes: the app's own functions leave them to it.
import { pathToFileURL } from "node:url";

interface Definition {
  readonly services?: readonly { readonly name: string; readonly queue?: object }[];
}

/** Settings for the app. @param remotesFile a module with the definition of the simulated services */
export async function settingsForWorkers(remotesFile: string): Promise<Record<string, string>> {
  if (remotesFile.endsWith(".json")) return {};
  const { services = [] } = (await import(pathToFileURL(remotesFile).href)) as Definition;
  const workers = services.filter(({ queue }) => queue !== undefined);
  return Object.fromEntries(workers.map(({ name }) => [`AzureWebJobs.${name}QueueAgent.Disabled`, "true"]));
}
