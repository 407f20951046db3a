// The app's settings as Core Tools sees them, and what bindings make of them: `%Name%` and connections.
import { join } from "node:path";
import { isSameName } from "./app/by-name.ts";
import type { Binding, RegisteredFunction } from "./contract.ts";
import { readJson } from "./host-json.ts";

export type Settings = Readonly<Record<string, string>>;

/** `Values` of local.settings.json in the app's folder, if there is one. @throws with every fault, naming the file */
export function readLocalSettings(appDir: string, file = "local.settings.json"): Settings {
  const path = join(appDir, file);
  const json = readJson(path);
  if (json["IsEncrypted"] === true) throw new Error(`${path} is encrypted: run "func settings decrypt" first`);
  const values = json["Values"] ?? {};
  if (typeof values !== "object" || values === null || Array.isArray(values))
    throw new Error(`${path}: "Values" is not an object`);
  const faults: string[] = [];
  const settings: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "string") settings[name] = value;
    else if (typeof value === "number" || typeof value === "boolean") settings[name] = String(value);
    else faults.push(`${path}: the value of "${name}" is not a string`);
  }
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return settings;
}

/** The bindings that have a connection, with the setting that it is in where they name none. */
const CONNECTED: Readonly<Record<string, string>> = {
  servicebustrigger: "ServiceBus",
  servicebus: "ServiceBus",
  cosmosdb: "CosmosDB",
};

/** Fills in the settings of all bindings: `connection` is then the connection string itself. Each fault is a line. */
export function bindFunctions(
  functions: Iterable<RegisteredFunction>,
  settings: Settings,
): { bound: RegisteredFunction[]; faults: string[] } {
  const faults: string[] = [];
  const bound = [...functions].map((registered) => {
    const entries = Object.entries(registered.bindings).map(([name, binding]): [string, Binding] => {
      const place = `function "${registered.name}", binding "${name}" (${binding.type})`;
      return [name, bindSettings(binding, settings, (fault) => faults.push(`${place}: ${fault}`))];
    });
    const bindings = Object.fromEntries(entries);
    return { ...registered, bindings, trigger: bindings[registered.triggerName] ?? registered.trigger };
  });
  return { bound, faults };
}

function bindSettings(binding: Binding, settings: Settings, fault: (text: string) => void): Binding {
  const filled: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(binding)) {
    filled[key] = typeof value === "string" ? fillIn(value, settings, (name) => fault(missing(key, name))) : value;
  }
  const usual = CONNECTED[binding.type.toLowerCase()];
  if (usual !== undefined) {
    const connection = typeof filled["connection"] === "string" ? filled["connection"] : "";
    const name = connection || usual;
    const byIdentity = Object.keys(settings).find((key) => key.startsWith(`${name}__`));
    const found = settings[name] ?? settings[`AzureWebJobs${name}`];
    if (found) filled["connection"] = found;
    else if (byIdentity !== undefined) {
      fault(`setting "${name}" is given by identity ("${byIdentity}"); here it has to be a connection string`);
    } else fault(`setting "${name}" (or "AzureWebJobs${name}") with the connection string is missing`);
  }
  return { ...filled, type: binding.type, direction: binding.direction };
}

function missing(key: string, name: string): string {
  return `setting "${name}", which "${key}" refers to as %${name}%, is missing`;
}

/** Replaces each `%Name%` by the setting; `missing` is told of those that aren't there. */
export function fillIn(text: string, settings: Settings, missing: (name: string) => void): string {
  return text.replace(/%([^%\s]+)%/g, (whole, name: string) => {
    const value = settings[name];
    if (value !== undefined) return value;
    missing(name);
    return whole;
  });
}

/** Whether the app's owner has switched the function off, as in Azure by `AzureWebJobs.<name>.Disabled`, in any case. */
export function isDisabled(functionName: string, settings: Settings): boolean {
  const names = [`AzureWebJobs.${functionName}.Disabled`, `AzureWebJobs_${functionName}_Disabled`];
  const given = Object.entries(settings).find(([key]) => names.some((name) => isSameName(name, key)));
  const value = given?.[1];
  return value === "1" || value?.toLowerCase() === "true";
}
