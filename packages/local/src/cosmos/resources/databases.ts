// The operations on databases.
import { COSMOS_LIMITS } from "../limits.ts";
import { answer } from "../queries/queries.ts";
import { type Call, fault, type Reply } from "../request.ts";
import { isObject, type JsonObject, parseJson } from "../sql/values.ts";
import { resource, resources, select } from "./definitions.ts";
import { askedThroughput } from "./offers.ts";
import { databaseQuotaFault } from "./quotas.ts";

export const NO_DATABASE = "The database does not exist.";
const BAD_ID = "The id is missing, too long or has one of the characters / \\ ? #.";

export function isResourceId(id: unknown): id is string {
  return typeof id === "string" && id !== "" && id.length <= COSMOS_LIMITS.name.value && !/[/\\?#]|\s$/.test(id);
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
  const throughput = askedThroughput(call);
  if (typeof throughput === "string") return fault(400, throughput);
  const full = call.catalog.databases.has(given["id"]) ? undefined : databaseQuotaFault(call.catalog);
  if (full !== undefined) return fault(403, full);
  const created = await call.catalog.createDatabase(given["id"]);
  if (!created) return fault(409, "A database with that id already exists.");
  if (throughput) await call.catalog.setThroughput(created.rid, throughput);
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
