// The operations on containers, and their partition key ranges.

import { isObject, type JsonObject, parseJson } from "../../json.ts";
import { isTimeToLive } from "../items/item-operations.ts";
import { uniqueKeyFault } from "../items/unique-keys.ts";
import { COSMOS_LIMITS } from "../limits.ts";
import { hashesOf } from "../partitions/key-ranges.ts";
import { isIndexed, KEY_PATH, pathSegments, policyFault } from "../queries/indexing.ts";
import { answer } from "../queries/queries.ts";
import { type Call, fault, header, type ItemCall, isTrue, type Reply } from "../request.ts";
import type { Value } from "../sql/values.ts";
import type { DatabaseRecord } from "./catalog.ts";
import type { Container } from "./container.ts";
import { isResourceId, NO_DATABASE, resourceQuotaFault } from "./databases.ts";
import { resource, resources, select } from "./definitions.ts";

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
  const given = withKey(call, parseJson(call.body));
  const wrong = containerFault(given);
  if (wrong !== undefined || !isObject(given)) return fault(400, wrong ?? "The request body is not a JSON object.");
  const throughput = askedThroughput(call);
  if (typeof throughput === "string") return fault(400, throughput);
  const isThere = parent.containers.has(String(given["id"]));
  const full = isThere ? undefined : resourceQuotaFault(call.catalog);
  if (full !== undefined) return fault(403, full);
  const created = await call.catalog.createContainer(parent, given, throughput);
  return created ? resource(201, created.definition) : fault(409, "A container with that id already exists.");
}

const { throughput: MOST_THROUGHPUT, leastThroughput: LEAST_THROUGHPUT } = COSMOS_LIMITS;
const THROUGHPUT_STEP = 100;

/** The throughput that the headers of a creation ask for, what is wrong with it, or nothing. */
function askedThroughput(call: Call): number | string | undefined {
  if (call.headers["x-ms-cosmos-offer-autopilot-settings"] !== undefined)
    return "Autoscale is not supported by this server: give the container a throughput.";
  const asked = header(call, "x-ms-offer-throughput");
  if (asked === undefined) return undefined;
  const throughput = Number(asked);
  const isBetween = throughput >= LEAST_THROUGHPUT.value && throughput <= MOST_THROUGHPUT.value;
  if (isBetween && throughput % THROUGHPUT_STEP === 0) return throughput;
  return `Throughput is a multiple of ${THROUGHPUT_STEP}, at least ${LEAST_THROUGHPUT.value} and at most ${MOST_THROUGHPUT.value}.`;
}

/** The first version of the protocol in which a container has to have a partition key. */
const KEYS_SINCE = "2018-12-31";

/** Clients of earlier versions know containers without a key; all documents of one are under the same. */
function withKey(call: Call, given: Value): Value {
  const isOld = (header(call, "x-ms-version") ?? KEYS_SINCE) < KEYS_SINCE;
  if (!isOld || !isObject(given) || given["partitionKey"] !== undefined) return given;
  return { ...given, partitionKey: { paths: ["/_partitionKey"], kind: "Hash", systemKey: true } };
}

export function readContainer(call: ItemCall): Reply {
  const read = resource(200, call.container.definition);
  const headers = [...(read.headers ?? []), "x-ms-documentdb-collection-index-transformation-progress", "100"];
  if (!isTrue(header(call, "x-ms-documentdb-populatequotainfo"))) return { ...read, headers };
  return { ...read, headers: [...headers, "x-ms-resource-quota", QUOTA, "x-ms-resource-usage", QUOTA] };
}

/** In KB; nothing here is counted against it. */
const QUOTA =
  "functions=25;storedProcedures=100;triggers=25;documentSize=10240;documentsSize=10485760;documentsCount=-1;collectionSize=10485760;";

export async function replaceContainer(call: ItemCall): Promise<Reply> {
  const parent = parentOf(call);
  const given = parseJson(call.body);
  const wrong = containerFault(given);
  if (!parent || wrong !== undefined || !isObject(given)) return fault(400, wrong ?? NO_DATABASE);
  const { container } = call;
  const fixed = given["id"] === container.id ? fixedFault(container, given) : "The id of a container is fixed.";
  if (fixed !== undefined) return fault(400, fixed);
  const replaced = await call.catalog.replaceContainer(parent, container, given);
  return resource(200, replaced.definition);
}

/** What a container keeps from its creation on. */
export function fixedFault({ definition }: Container, given: JsonObject): string | undefined {
  const { uniqueKeyPolicy: unique, conflictResolutionPolicy: conflicts } = given;
  if (unique !== undefined && JSON.stringify(unique) !== JSON.stringify(definition["uniqueKeyPolicy"]))
    return "The unique keys of a container are fixed.";
  if (conflicts !== undefined && !isSameConflicts(conflicts, definition["conflictResolutionPolicy"]))
    return "The conflict resolution policy of a container is fixed.";
  return isSameKey(given["partitionKey"], definition["partitionKey"])
    ? undefined
    : "The partition key of a container is fixed.";
}

/** A kind or a version that is not said is as before. */
function isSameKey(one: Value, other: Value): boolean {
  if (!isObject(one) || !isObject(other)) return false;
  const isSame = (field: string) =>
    one[field] === undefined || other[field] === undefined || one[field] === other[field];
  return JSON.stringify(one["paths"]) === JSON.stringify(other["paths"]) && isSame("kind") && isSame("version");
}

/** What is not said is as an empty text. */
function isSameConflicts(one: Value, other: Value): boolean {
  const fields = ["mode", "conflictResolutionPath", "conflictResolutionProcedure"];
  return fields.every((field) => textOf(one, field) === textOf(other, field));
}

const textOf = (policy: Value, field: string) => String((isObject(policy) ? policy[field] : undefined) ?? "");

export async function deleteContainer(call: ItemCall): Promise<Reply> {
  const parent = parentOf(call);
  if (!parent) return fault(404, NO_DATABASE);
  await call.catalog.deleteContainer(parent, call.container);
  return { status: 204, charge: 1 };
}

/** Clients read it as a feed of changes until they are told that there are no more. */
export function listKeyRanges(call: ItemCall): Reply {
  const { container } = call;
  const ranges = call.catalog.ranges.of(container);
  const etag = `"${container.rid}-${ranges.map(({ id }) => id).join(".")}"`;
  if (header(call, "if-none-match") === etag) return { status: 304, charge: 1, headers: ["etag", etag] };
  const list = ranges.map((range, index) => {
    const { min, max } = hashesOf(container, range);
    return {
      id: range.id,
      _rid: container.rid,
      minInclusive: min,
      maxExclusive: max,
      ridPrefix: index,
      throughputFraction: 1 / ranges.length,
      status: "online",
      parents: [],
    };
  });
  const body = JSON.stringify({ _rid: container.rid, PartitionKeyRanges: list, _count: list.length });
  return { status: 200, charge: 1, body, headers: ["etag", etag, "x-ms-item-count", String(list.length)] };
}

/** One region writes here, so there are never any. */
export const listConflicts = ({ container }: ItemCall): Reply => resources("Conflicts", container.rid, []);

export const readConflict = (): Reply => fault(404, "The conflict does not exist.");

/** What is wrong with the definition of a container, if anything; what this server lacks is refused, not ignored. */
export function containerFault(given: Value): string | undefined {
  if (!isObject(given)) return "The request body is not a JSON object.";
  if (!isResourceId(given["id"])) return "The id is missing, too long or has one of the characters / \\ ? #.";
  const paths = keyPaths(given);
  const ttl = given["defaultTtl"];
  const isOn = ttl !== undefined && ttl !== null;
  if (isOn && !isTimeToLive(ttl)) return "The defaultTtl of a container is -1 or a positive number of seconds.";
  const policy = policyFault(given["indexingPolicy"]);
  if (policy !== undefined) return policy;
  if (isOn && !isIndexed(given["indexingPolicy"]))
    return "A container with a defaultTtl has an index: its mode is consistent.";
  return (
    uniqueKeyFault(given["uniqueKeyPolicy"]) ??
    keyFault(paths) ??
    keyKindFault(given["partitionKey"]) ??
    conflictFault(given["conflictResolutionPolicy"]) ??
    geospatialFault(given["geospatialConfig"]) ??
    lackingFault(given)
  );
}

const MOST_KEY_PATHS = COSMOS_LIMITS.keyPaths.value;

function keyFault(paths: Value): string | undefined {
  if (!Array.isArray(paths) || paths.length === 0) return "A container needs a partition key.";
  if (paths.length > MOST_KEY_PATHS) return `A partition key has at most ${MOST_KEY_PATHS} paths.`;
  const strange = paths.find((path) => typeof path !== "string" || !KEY_PATH.test(path));
  if (strange === undefined) return paths.some(isOfSystem) ? OF_SYSTEM : undefined;
  if (typeof strange === "string" && strange.startsWith("/")) return KEY_CHARACTERS;
  return `The path of a partition key begins with /, and '${String(strange)}' does not.`;
}

/** The server sets them after it has found the partition. */
const SYSTEM_PROPERTIES = ["_rid", "_self", "_etag", "_ts", "_attachments"];
const OF_SYSTEM = `A partition key is no property that the server sets: ${SYSTEM_PROPERTIES.join(", ")}.`;
const isOfSystem = (path: Value) => SYSTEM_PROPERTIES.includes(pathSegments(String(path))[0] ?? "");

const KEY_KINDS = ["Hash", "Range", "MultiHash"];

/** What is not said is completed. */
function keyKindFault(key: Value): string | undefined {
  if (!isObject(key)) return undefined;
  const { kind, version, paths } = key;
  if (kind !== undefined && !KEY_KINDS.includes(String(kind)))
    return `The kind of a partition key is not '${String(kind)}'.`;
  if (version !== undefined && version !== 1 && version !== 2) return "The version of a partition key is 1 or 2.";
  if (!Array.isArray(paths) || paths.length < 2) return undefined;
  if (kind === undefined || (kind === "MultiHash" && version !== 1)) return undefined;
  return "A partition key of several paths has the kind MultiHash and the version 2.";
}

/** A path is for the last writer, a procedure for one's own. An invalid path counts as none, as Microsoft's page on conflicts says. */
function conflictFault(policy: Value): string | undefined {
  if (policy === undefined || policy === null) return undefined;
  if (!isObject(policy)) return "The conflict resolution policy is not a JSON object.";
  const { mode = LAST_WRITER, conflictResolutionPath: path, conflictResolutionProcedure: procedure } = policy;
  if (mode !== LAST_WRITER && mode !== "Custom") return "The mode of conflict resolution is LastWriterWins or Custom.";
  if (mode === LAST_WRITER && isText(procedure)) return "A policy of the mode LastWriterWins has no procedure.";
  if (mode === "Custom" && isText(path)) return "A policy of the mode Custom has no path.";
  return undefined;
}

const LAST_WRITER = "LastWriterWins";
const isText = (value: Value) => value !== undefined && value !== null && value !== "";

function geospatialFault(config: Value): string | undefined {
  const type = isObject(config) ? config["type"] : undefined;
  if (type === undefined || type === "Geography" || type === "Geometry") return undefined;
  return "The type of geospatial data is Geography or Geometry.";
}

const KEY_CHARACTERS =
  "The path of a partition key has names of letters, digits and _, or names in quotes, and does not end in / or *.";

const LACKING: Readonly<Record<string, string>> = {
  changeFeedPolicy: "Change feeds are",
  fullTextPolicy: "Full text search is",
  vectorEmbeddingPolicy: "Vector search is",
  computedProperties: "Computed properties are",
  clientEncryptionPolicy: "Client encryption is",
  materializedViewDefinition: "Materialized views are",
  analyticalStorageTtl: "The analytical store is",
};

/** What this server would keep and never obey. */
function lackingFault(given: JsonObject): string | undefined {
  const policy = given["indexingPolicy"];
  if (isObject(policy) && hasAny(policy["vectorIndexes"])) return lacking("vectorEmbeddingPolicy");
  if (isObject(policy) && hasAny(policy["fullTextIndexes"])) return lacking("fullTextPolicy");
  const name = Object.keys(LACKING).find((each) => isSaid(given[each]));
  return name === undefined ? undefined : lacking(name);
}

const lacking = (name: string) => `${LACKING[name]} not supported by this server: ${name}.`;

/** Clients write an empty list for none, and 0 for no analytical store. */
const isSaid = (value: Value) =>
  value !== undefined && value !== null && value !== 0 && !(Array.isArray(value) && value.length === 0);

const hasAny = (list: Value) => Array.isArray(list) && list.length > 0;

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
