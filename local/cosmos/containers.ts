// The operations on containers, and the one partition key range each has.

import type { Container, DatabaseRecord } from "./catalog.ts";
import { isResourceId, NO_DATABASE, resource, resources, select } from "./databases.ts";
import { policyFault } from "./indexing.ts";
import { answer } from "./queries.ts";
import { type Call, fault, header, type ItemCall, type Reply } from "./request.ts";
import { isObject, type JsonObject, parseJson, type Value } from "./sql/values.ts";

export const NO_CONTAINER = "The container does not exist.";

export function listContainers(call: Call): Reply {
  const parent = parentOf(call);
  return parent ? resources("DocumentCollections", "", definitions(parent)) : fault(404, NO_DATABASE);
}

export function queryContainers(call: Call): Reply | Promise<Reply> {
  const parent = parentOf(call);
  if (!parent) return fault(404, NO_DATABASE);
  return answer(() => resources("DocumentCollections", "", select(call.body, definitions(parent))));
}

export async function createContainer(call: Call): Promise<Reply> {
  const parent = parentOf(call);
  if (!parent) return fault(404, NO_DATABASE);
  const given = parseJson(call.body);
  const wrong = containerFault(given);
  if (wrong !== undefined || !isObject(given)) return fault(400, wrong ?? "The request body is not a JSON object.");
  const created = await call.catalog.createContainer(parent, given);
  return created ? resource(201, created.definition) : fault(409, "A container with that id already exists.");
}

export const readContainer = (call: ItemCall): Reply => resource(200, call.container.definition);

export async function replaceContainer(call: ItemCall): Promise<Reply> {
  const parent = parentOf(call);
  const given = parseJson(call.body);
  const wrong = containerFault(given);
  if (!parent || wrong !== undefined || !isObject(given)) return fault(400, wrong ?? NO_DATABASE);
  const { container } = call;
  const sameKey = JSON.stringify(keyPaths(given)) === JSON.stringify(keyPaths(container.definition));
  if (given["id"] !== container.id || !sameKey)
    return fault(400, "The id and the partition key of a container are fixed.");
  const replaced = await call.catalog.replaceContainer(parent, container, given);
  return resource(200, replaced.definition);
}

export async function deleteContainer(call: ItemCall): Promise<Reply> {
  const parent = parentOf(call);
  if (!parent) return fault(404, NO_DATABASE);
  await call.catalog.deleteContainer(parent, call.container);
  return { status: 204, charge: 1 };
}

/** Clients read it as a feed of changes until they are told that there are no more. */
export function listKeyRanges(call: ItemCall): Reply {
  const { container } = call;
  const etag = `"${container.rid}"`;
  if (header(call, "if-none-match") === etag) return { status: 304, charge: 1, headers: ["etag", etag] };
  const range = {
    id: "0",
    _rid: container.rid,
    minInclusive: "",
    maxExclusive: "FF",
    ridPrefix: 0,
    status: "online",
    parents: [],
  };
  const body = JSON.stringify({ _rid: container.rid, PartitionKeyRanges: [range], _count: 1 });
  return { status: 200, charge: 1, body, headers: ["etag", etag, "x-ms-item-count", "1"] };
}

/** What is wrong with the definition of a container, if anything; what this server lacks is refused, not ignored. */
export function containerFault(given: Value): string | undefined {
  if (!isObject(given)) return "The request body is not a JSON object.";
  if (!isResourceId(given["id"])) return "The id is missing, too long or has one of the characters / \\ ? #.";
  const paths = keyPaths(given);
  if (!Array.isArray(paths) || paths.length === 0) return "A container needs a partition key.";
  const ttl = given["defaultTtl"];
  const validTtl = ttl === undefined || ttl === null || (Number.isInteger(ttl) && (ttl === -1 || Number(ttl) > 0));
  if (!validTtl) return "defaultTtl must be -1 or a positive number of seconds.";
  const policy = policyFault(given["indexingPolicy"]);
  if (policy !== undefined) return policy;
  const unique = given["uniqueKeyPolicy"];
  if (isObject(unique) && Array.isArray(unique["uniqueKeys"]) && unique["uniqueKeys"].length > 0) {
    return "Unique keys are not supported by this server.";
  }
  return undefined;
}

function keyPaths(definition: JsonObject): Value {
  const key = definition["partitionKey"];
  return isObject(key) ? key["paths"] : undefined;
}

function parentOf(call: Call): DatabaseRecord | undefined {
  return call.catalog.databases.get(call.names[0] ?? "");
}

function definitions({ containers }: DatabaseRecord): JsonObject[] {
  return [...containers.values()].map(({ definition }: Container) => definition);
}
