// Bicep's functions, as far as infra/ calls them ("Bicep functions" in Microsoft's reference), and what Azure answers for a resource.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export type Value = string | number | boolean | null | Value[] | Lambda | { [name: string]: Value };
export type Lambda = (...values: Value[]) => Value;
type Fields = Record<string, Value>;
export type Files = { readonly [pathEnd: string]: string };

const SUBSCRIPTION = "00000000-0000-0000-0000-00000000005b";
const TENANT = "00000000-0000-0000-0000-0000000000aa";
export const DEPLOYER = "00000000-0000-0000-0000-0000000000dd";

const list = (value: Value | undefined) => value as Value[];
const fields = (value: Value | undefined) => value as Fields;
const text = (value: Value | undefined) => value as string;
const isSame = (one: Value, other: Value) => JSON.stringify(one) === JSON.stringify(other);
const hash = (parts: readonly Value[]) => createHash("sha256").update(JSON.stringify(parts)).digest("hex");

/** Always the same one for the same parts, as Azure's. */
export function guid(...parts: readonly Value[]): string {
  return hash(parts).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}

export const idOf = (group: string, type: string, name: string) =>
  `/subscriptions/${SUBSCRIPTION}/resourceGroups/${group}/providers/${type}/${name}`;

const unique = (all: Value[]) => all.filter((value, place) => all.findIndex((each) => isSame(each, value)) === place);

/** Of arrays each value once, also where one has it twice. */
function union(one: Value, other: Value): Value {
  if (Array.isArray(one)) return unique([...one, ...list(other)]);
  const merged: Fields = { ...fields(one) };
  for (const [name, value] of Object.entries(fields(other))) {
    const known = merged[name];
    const isNested = [known, value].every((each) => typeof each === "object" && each !== null && !Array.isArray(each));
    merged[name] = isNested && known !== undefined ? union(known, value) : value;
  }
  return merged;
}

function isEmpty(value: Value | undefined): boolean {
  if (value === null || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** @param file the one whose text is evaluated: what is loaded stands beside it. */
export function functionsFor(file: string, group: string, files: Files): { readonly [name: string]: Lambda } {
  const load = (path: Value | undefined) => {
    const wanted = join(dirname(file), text(path));
    const [, other] = Object.entries(files).find(([end]) => wanted.endsWith(end)) ?? [];
    return other ?? readFileSync(wanted, "utf8");
  };
  return {
    any: (value = null) => value,
    // Of IPv4, and of subnets of a /24 alone.
    cidrSubnet: (prefix, _, index) => text(prefix).replace(/\.\d+\.\d+\/\d+$/, `.${index}.0/24`),
    concat: (...parts) => (Array.isArray(parts[0]) ? parts.flatMap(list) : parts.join("")),
    contains: (all = null, one = null) => {
      if (Array.isArray(all)) return all.some((value) => isSame(value, one));
      return typeof all === "string" ? all.includes(text(one)) : Object.hasOwn(fields(all), text(one));
    },
    deployer: () => ({ objectId: DEPLOYER }),
    empty: isEmpty,
    environment: () => ({
      suffixes: { storage: "core.windows.net" },
      authentication: { loginEndpoint: "https://login.microsoftonline.com/" },
    }),
    fail: (message) => {
      throw new Error(text(message));
    },
    filter: (all, holds) => list(all).filter((value) => (holds as Lambda)(value)),
    flatten: (all) => list(all).flatMap(list),
    guid,
    indexOf: (all, one = null) => list(all).findIndex((value) => isSame(value, one)),
    int: (value = null) => Number(value),
    intersection: (one, other) => list(one).filter((value) => list(other).some((each) => isSame(value, each))),
    // Sorted by name, as Bicep's.
    items: (object) =>
      Object.entries(fields(object))
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([key, value]) => ({ key, value })),
    join: (all, separator) => list(all).join(text(separator)),
    loadJsonContent: (path) => JSON.parse(load(path)) as Value,
    loadTextContent: load,
    map: (all, change) => list(all).map((value, index) => (change as Lambda)(value, index)),
    max: (...values) => Math.max(...(values as number[])),
    reduce: (all, first = null, next) => list(all).reduce((sofar, value) => (next as Lambda)(sofar, value), first),
    replace: (whole, old, by) => text(whole).replaceAll(text(old), text(by)),
    resourceGroup: (name) => ({ name: name ?? group }),
    resourceId: (type, ...names) => idOf(group, text(type).replace(/\/subnets$/, ""), names.join("/")),
    split: (whole, separator) => text(whole).split(text(separator)),
    startsWith: (whole, part) => text(whole).startsWith(text(part)),
    string: (value = null) => (typeof value === "string" ? value : JSON.stringify(value)),
    subscription: () => ({ id: `/subscriptions/${SUBSCRIPTION}`, subscriptionId: SUBSCRIPTION }),
    subscriptionResourceId: (type, name) => `/subscriptions/${SUBSCRIPTION}/providers/${type}/${name}`,
    tenant: () => ({ tenantId: TENANT }),
    toObject: (all, key, change) =>
      Object.fromEntries(
        list(all).map((value) => [text((key as Lambda)(value)), change ? (change as Lambda)(value) : value]),
      ),
    toLower: (value) => text(value).toLowerCase(),
    union: (one = null, ...others) => others.reduce(union, one),
    uniqueString: (...parts) => hash(parts).slice(0, 13),
  };
}

/** What Azure adds to the properties of a resource that stands. */
export function answersOf(type: string, name: string): Fields {
  const hosts = (suffix: string) => `https://${name}.${suffix}`;
  switch (type) {
    case "Microsoft.ManagedIdentity/userAssignedIdentities":
      return { principalId: guid(name, "principal"), clientId: guid(name, "client") };
    case "Microsoft.OperationalInsights/workspaces":
      return { customerId: guid(name) };
    case "Microsoft.Insights/components":
      return { ConnectionString: `InstrumentationKey=${guid(name)}` };
    case "Microsoft.Storage/storageAccounts": {
      const parts = ["blob", "queue", "table"].map((part) => [part, hosts(`${part}.core.windows.net/`)]);
      return { primaryEndpoints: Object.fromEntries(parts) as Fields };
    }
    case "Microsoft.ServiceBus/namespaces":
      return { serviceBusEndpoint: hosts("servicebus.windows.net:443/") };
    case "Microsoft.DocumentDB/databaseAccounts":
      return { documentEndpoint: hosts("documents.azure.com:443/") };
    case "Microsoft.DurableTask/schedulers":
      return { endpoint: hosts("westus3.durabletask.io") };
    case "Microsoft.Web/sites":
      return { defaultHostName: `${name}.azurewebsites.net` };
    default:
      return {};
  }
}
