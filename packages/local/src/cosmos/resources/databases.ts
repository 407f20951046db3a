// The operations on databases.
import { isObject, type JsonObject, parseJson } from "../../json.ts";
import { quotaFault } from "../../limit.ts";
import { COSMOS_LIMITS } from "../limits.ts";
import { answer } from "../queries/queries.ts";
import { type Call, fault, type Reply } from "../request.ts";
import { resource, resources, select } from "./definitions.ts";

export const NO_DATABASE = "The database does not exist.";
const BAD_ID = "The id is missing, too long or has one of the characters / \\ ? #.";

const THROUGHPUT_HEADERS = ["x-ms-offer-throughput", "x-ms-cosmos-offer-autopilot-settings"];
const NO_SHARED_THROUGHPUT = "The throughput of a database is not supported by this server: give it to a container.";

export function isResourceId(id: unknown): id is string {
  return typeof id === "string" && id !== "" && id.length <= COSMOS_LIMITS.name.value && !/[/\\?#]|\s$/.test(id);
}

/** Why there is no room for one more database or container; they count together. */
export function resourceQuotaFault({ databases }: CountedAccount): string | undefined {
  const there = [...databases.values()].reduce((sum, { containers }) => sum + 1 + containers.size, 0);
  return quotaFault(COSMOS_LIMITS.resources, there + 1);
}

/** The account, as far as it is counted. */
interface CountedAccount {
  readonly databases: ReadonlyMap<string, { readonly containers: { readonly size: number } }>;
}

export function listDatabases(call: Call): Reply {
  return resources("Databases", "", definitions(call));
}

export function queryDatabases(call: Call): Promise<Reply> {
  return answer(() => resources("Databases", "", select(call.body, definitions(call))));
}

export async function createDatabase(call: Call): Promise<Reply> {
  const given = parseJson(call.body);
  if (!isObject(given) || !isResourceId(given["id"])) return fault(400, BAD_ID);
  if (THROUGHPUT_HEADERS.some((name) => call.headers[name] !== undefined)) return fault(400, NO_SHARED_THROUGHPUT);
  const full = call.catalog.databases.has(given["id"]) ? undefined : resourceQuotaFault(call.catalog);
  if (full !== undefined) return fault(403, full);
  const created = await call.catalog.createDatabase(given["id"]);
  if (!created) return fault(409, "A database with that id already exists.");
  return resource(201, created.definition);
}

export function readDatabase(call: Call): Reply {
  const found = call.catalog.databases.get(call.names[0] ?? "");
  return found ? resource(200, found.definition) : fault(404, NO_DATABASE);
}

export async function deleteDatabase(call: Call): Promise<Reply> {
  const found = call.catalog.databases.get(call.names[0] ?? "");
  if (!found) return fault(404, NO_DATABASE);
  await call.catalog.deleteDatabase(found);
  return { status: 204, charge: 1 };
}

function definitions(call: Call): JsonObject[] {
  return [...call.catalog.databases.values()].map(({ definition }) => definition);
}
