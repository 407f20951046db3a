// Several operations in one request: an atomic batch within one partition key, or bulk, where each stands alone.
import { isObject, type JsonObject, parseJson } from "../../json.ts";
import { inWords } from "../../thrown.ts";
import { COSMOS_LIMITS } from "../limits.ts";
import { documentKey, WRONG_KEY } from "../partitions/key-scope.ts";
import { fault, header, type ItemCall, prefersMinimal, type Reply } from "../request.ts";
import { HYBRID_ROW, readOperations, writeResults } from "./hybrid-row.ts";
import {
  createItem,
  deleteItem,
  faultOf,
  type ItemResult,
  patchItem,
  readItem,
  refuse,
  replaceItem,
  type Target,
  TOO_LARGE,
  upsertItem,
} from "./item-operations.ts";
import { parsePatch } from "./patch.ts";
import { isFromSqlite, write } from "./write.ts";

const MOST_OPERATIONS = COSMOS_LIMITS.batchOperations.value;
const MULTI_STATUS = 207;
const FAILED_DEPENDENCY = 424;

const failed = ({ status }: ItemResult) => status >= 400;

export async function batchDocuments(call: ItemCall): Promise<Reply> {
  const operations = operationsOf(call);
  if (!Array.isArray(operations)) return operations;
  const pk = documentKey(call.container, header(call, "x-ms-documentdb-partitionkey") ?? "");
  if (pk === undefined) return fault(400, WRONG_KEY, ["x-ms-substatus", "1001"]);
  const strange = operations.find(
    ({ partitionKey }) => typeof partitionKey === "string" && documentKey(call.container, partitionKey) !== pk,
  );
  if (strange) return fault(400, "All operations of a batch have the partition key of the batch.");
  const results = await write(call.database, () => atomically(call, operations, pk));
  return reply(call, operations, results);
}

export async function bulkDocuments(call: ItemCall): Promise<Reply> {
  const operations = operationsOf(call);
  if (!Array.isArray(operations)) return operations;
  const goOn = header(call, "x-ms-cosmos-batch-continue-on-error") !== "false";
  const results = await write(call.database, () => {
    let stopped = false;
    return operations.map((operation) => {
      const pk = documentKey(call.container, String(operation["partitionKey"]));
      if (stopped) return refuse(FAILED_DEPENDENCY, "An operation before this one failed.");
      const result = pk === undefined ? refuse(400, "The operation has no partition key.") : alone(call, operation, pk);
      stopped = failed(result) && !goOn;
      return result;
    });
  });
  return reply(call, operations, results);
}

/** One operation of a bulk request: a bug that it meets is its own answer. */
function alone(call: ItemCall, operation: JsonObject, pk: string): ItemResult {
  try {
    return run(call, operation, pk);
  } catch (cause) {
    if (isFromSqlite(cause)) throw cause;
    return refuse(500, `The server failed: ${inWords(cause)}`);
  }
}

/** All or nothing: the first failure takes the rest with it, and what was done before it is undone. */
function atomically(call: ItemCall, operations: readonly JsonObject[], pk: string): readonly ItemResult[] {
  const results = call.database.savepoint(
    () => {
      const done: ItemResult[] = [];
      // One transaction, one time: documents with the same time to live expire together.
      const now = Date.now();
      for (const operation of operations) {
        const result = run(call, operation, pk, now);
        done.push(result);
        if (failed(result)) break;
      }
      return done;
    },
    (done) => !done.some(failed),
  );
  if (!results.some(failed)) return results;
  return operations.map((_, index) => {
    const result = results[index];
    return result && failed(result) ? result : { status: FAILED_DEPENDENCY, charge: result?.charge ?? 0 };
  });
}

function run(call: ItemCall, operation: JsonObject, pk: string, now = Date.now()): ItemResult {
  const { operationType, resourceBody: body } = operation;
  const id = String(operation["id"] ?? "");
  const target: Target = {
    container: call.container,
    pk,
    now,
    precondition: { ifMatch: text(operation["ifMatch"]), ifNoneMatch: text(operation["ifNoneMatch"]) },
  };
  switch (operationType) {
    case "Read":
      return readItem(target, id);
    case "Delete":
      return deleteItem(target, id);
    case "Patch": {
      const patch = parsePatch(body, call.container.partitionPaths);
      return typeof patch === "string" ? refuse(400, patch) : patchItem(target, id, patch);
    }
    case "Create":
    case "Upsert":
    case "Replace": {
      const wrong = faultOf(body, target);
      if (wrong !== undefined || !isObject(body)) return refuse(400, wrong ?? "No document.");
      if (operationType === "Create") return createItem(target, body);
      return operationType === "Upsert" ? upsertItem(target, body) : replaceItem(target, id, body);
    }
    default:
      return refuse(400, `The operation type '${String(operationType)}' is not known.`);
  }
}

const text = (value: unknown) => (typeof value === "string" ? value : undefined);

function operationsOf(call: ItemCall): JsonObject[] | Reply {
  if (call.bytes.length > COSMOS_LIMITS.requestBytes.value) return fault(413, TOO_LARGE);
  const operations = isBinary(call) ? readOperations(call.bytes) : parseJson(call.body);
  if (!Array.isArray(operations) || operations.length === 0) return fault(400, "A batch is a list of operations.");
  if (operations.length > MOST_OPERATIONS) return fault(400, `A batch takes at most ${MOST_OPERATIONS} operations.`);
  return operations.every(isObject) ? operations : fault(400, "An operation of a batch is an object.");
}

const isBinary = ({ bytes }: ItemCall) => bytes[0] === HYBRID_ROW;

/** In the encoding of the request, and without the documents that nobody wants. */
function reply(call: ItemCall, operations: readonly JsonObject[], results: readonly ItemResult[]): Reply {
  const status = results.some(failed) ? MULTI_STATUS : 200;
  const charge = results.reduce((sum, result) => sum + result.charge, 0);
  const minimal = prefersMinimal(call);
  const wanted = results.map(({ body, ...result }, index) => {
    const isWanted = body !== undefined && !minimal && operations[index]?.["minimalReturnPreference"] !== true;
    return isWanted ? { ...result, body } : result;
  });
  return { status, charge, body: isBinary(call) ? writeResults(wanted) : writeJson(wanted) };
}

function writeJson(results: readonly ItemResult[]): string {
  const texts = results.map(({ status, subStatus, charge, etag, body }) => {
    const subStatusCode = subStatus === undefined ? "" : `,"subStatusCode":${subStatus}`;
    const eTag = etag === undefined ? "" : `,"eTag":${JSON.stringify(etag)}`;
    const resource = body === undefined ? "" : `,"resourceBody":${body}`;
    return `{"statusCode":${status}${subStatusCode},"requestCharge":${charge}${eTag}${resource}}`;
  });
  return `[${texts.join(",")}]`;
}
