// Several operations in one request: an atomic batch within one partition key, or bulk, where each stands alone.
import { inWords } from "../../thrown.ts";
import { COSMOS_LIMITS } from "../limits.ts";
import { documentKey, WRONG_KEY } from "../partitions/key-scope.ts";
import { fault, header, type ItemCall, prefersMinimal, type Reply } from "../request.ts";
import { isObject, type JsonObject, parseJson } from "../sql/values.ts";
import { HYBRID_ROW, readOperations, writeResults } from "./hybrid-row.ts";
import {
  createItem,
  deleteItem,
  faultOf,
  type Outcome,
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

const failed = ({ status }: Outcome) => status >= 400;

export async function batchDocuments(call: ItemCall): Promise<Reply> {
  const operations = operationsOf(call);
  if (!Array.isArray(operations)) return operations;
  const pk = documentKey(call.container, header(call, "x-ms-documentdb-partitionkey") ?? "");
  if (pk === undefined) return fault(400, WRONG_KEY, ["x-ms-substatus", "1001"]);
  const strange = operations.find(
    ({ partitionKey }) => typeof partitionKey === "string" && documentKey(call.container, partitionKey) !== pk,
  );
  if (strange) return fault(400, "All operations of a batch have the partition key of the batch.");
  const outcomes = await write(call.database, () => atomically(call, operations, pk));
  return reply(call, operations, outcomes);
}

export async function bulkDocuments(call: ItemCall): Promise<Reply> {
  const operations = operationsOf(call);
  if (!Array.isArray(operations)) return operations;
  const goOn = header(call, "x-ms-cosmos-batch-continue-on-error") !== "false";
  const outcomes = await write(call.database, () => {
    let stopped = false;
    return operations.map((operation) => {
      const pk = documentKey(call.container, String(operation["partitionKey"]));
      if (stopped) return refuse(FAILED_DEPENDENCY, "An operation before this one failed.");
      const outcome =
        pk === undefined ? refuse(400, "The operation has no partition key.") : alone(call, operation, pk);
      stopped = failed(outcome) && !goOn;
      return outcome;
    });
  });
  return reply(call, operations, outcomes);
}

/** One operation of a bulk request: a bug that it meets is its own answer. */
function alone(call: ItemCall, operation: JsonObject, pk: string): Outcome {
  try {
    return run(call, operation, pk);
  } catch (cause) {
    if (isFromSqlite(cause)) throw cause;
    return refuse(500, `The server failed: ${inWords(cause)}`);
  }
}

/** All or nothing: the first failure takes the rest with it, and what was done before it is undone. */
function atomically(call: ItemCall, operations: readonly JsonObject[], pk: string): readonly Outcome[] {
  const outcomes = call.database.savepoint(
    () => {
      const done: Outcome[] = [];
      // One transaction, one time: documents with the same time to live expire together.
      const now = Date.now();
      for (const operation of operations) {
        const outcome = run(call, operation, pk, now);
        done.push(outcome);
        if (failed(outcome)) break;
      }
      return done;
    },
    (done) => !done.some(failed),
  );
  if (!outcomes.some(failed)) return outcomes;
  return operations.map((_, index) => {
    const outcome = outcomes[index];
    return outcome && failed(outcome) ? outcome : { status: FAILED_DEPENDENCY, charge: outcome?.charge ?? 0 };
  });
}

function run(call: ItemCall, operation: JsonObject, pk: string, now = Date.now()): Outcome {
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
function reply(call: ItemCall, operations: readonly JsonObject[], outcomes: readonly Outcome[]): Reply {
  const status = outcomes.some(failed) ? MULTI_STATUS : 200;
  const charge = outcomes.reduce((sum, outcome) => sum + outcome.charge, 0);
  const minimal = prefersMinimal(call);
  const wanted = outcomes.map(({ body, ...outcome }, index) => {
    const isWanted = body !== undefined && !minimal && operations[index]?.["minimalReturnPreference"] !== true;
    return isWanted ? { ...outcome, body } : outcome;
  });
  return { status, charge, body: isBinary(call) ? writeResults(wanted) : writeJson(wanted) };
}

function writeJson(outcomes: readonly Outcome[]): string {
  const results = outcomes.map(({ status, subStatus, charge, etag, body }) => {
    const subStatusCode = subStatus === undefined ? "" : `,"subStatusCode":${subStatus}`;
    const eTag = etag === undefined ? "" : `,"eTag":${JSON.stringify(etag)}`;
    const resource = body === undefined ? "" : `,"resourceBody":${body}`;
    return `{"statusCode":${status}${subStatusCode},"requestCharge":${charge}${eTag}${resource}}`;
  });
  return `[${results.join(",")}]`;
}
