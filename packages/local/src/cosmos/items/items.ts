// The operations on a single document: create, upsert, read, replace, patch, delete.

import { isObject, type JsonObject, parseJson } from "../../json.ts";
import { COSMOS_LIMITS } from "../limits.ts";
import { documentKey, WRONG_KEY } from "../partitions/key-scope.ts";
import { fault, header, type ItemCall, prefersMinimal, type Reply } from "../request.ts";
import {
  createItem,
  deleteItem,
  faultOf,
  type ItemResult,
  partitionKeyOf,
  patchItem,
  readItem,
  replaceItem,
  type Target,
  TOO_LARGE,
  upsertItem,
} from "./item-operations.ts";
import { parsePatch } from "./patch.ts";
import { write } from "./write.ts";

type WriteItem = (target: Target, document: JsonObject) => ItemResult;

export function readDocument(call: ItemCall): Reply {
  const target = targetOf(call);
  return target ? replyOf(call)(readItem(target, call.names[2] ?? "")) : noKey();
}

export const createDocument = (call: ItemCall) => store(call, createItem);
export const upsertDocument = (call: ItemCall) => store(call, upsertItem);

export function replaceDocument(call: ItemCall): Promise<Reply> | Reply {
  const id = call.names[2] ?? "";
  return store(call, (target, document) => replaceItem(target, id, document));
}

export function deleteDocument(call: ItemCall): Promise<Reply> | Reply {
  const target = targetOf(call);
  if (!target) return noKey();
  return write(call.database, () => deleteItem(target, call.names[2] ?? "")).then(replyOf(call));
}

/** All documents of one partition key; Azure takes them away in the background, this server at once. */
export function deleteKey(call: ItemCall): Promise<Reply> | Reply {
  const target = targetOf(call);
  if (!target) return noKey();
  return write(call.database, () => call.container.items.removeAll(target.pk)).then(() => ({ status: 200, charge: 1 }));
}

export function patchDocument(call: ItemCall): Promise<Reply> | Reply {
  const target = targetOf(call);
  if (!target) return noKey();
  if (call.bytes.length > COSMOS_LIMITS.requestBytes.value) return fault(413, TOO_LARGE);
  const patch = parsePatch(parseJson(call.body), call.container.partitionPaths);
  if (typeof patch === "string") return fault(400, patch);
  return write(call.database, () => patchItem(target, call.names[2] ?? "", patch)).then(replyOf(call));
}

/** Documents that are written whole; without a partition key header the document says it itself. */
function store(call: ItemCall, put: WriteItem): Promise<Reply> | Reply {
  if (call.bytes.length > COSMOS_LIMITS.requestBytes.value) return fault(413, TOO_LARGE);
  const document = parseJson(call.body);
  if (!isObject(document)) return fault(400, "The request body is not a JSON object.");
  const target = targetOf(call, partitionKeyOf(document, call.container));
  if (!target) return noKey();
  const wrong = faultOf(document, target);
  if (wrong) return fault(400, wrong, ["x-ms-substatus", wrong === WRONG_KEY ? "1001" : "0"]);
  return write(call.database, () => put(target, document)).then(replyOf(call));
}

function targetOf(call: ItemCall, otherwise?: string): Target | undefined {
  const given = header(call, "x-ms-documentdb-partitionkey");
  const pk = given === undefined ? otherwise : documentKey(call.container, given);
  if (pk === undefined) return undefined;
  const precondition = { ifMatch: header(call, "if-match"), ifNoneMatch: header(call, "if-none-match") };
  return { container: call.container, pk, now: Date.now(), precondition };
}

const noKey = () => fault(400, WRONG_KEY, ["x-ms-substatus", "1001"]);

/** Without the document where the client prefers that, as the SDKs do for writes whose content nobody wants. */
function replyOf(call: ItemCall): (result: ItemResult) => Reply {
  const isMinimal = prefersMinimal(call);
  return ({ status, charge, etag, body, fault: why, subStatus }) => {
    if (why !== undefined) return fault(status, why, subStatus ? ["x-ms-substatus", String(subStatus)] : [], charge);
    const headers = etag === undefined ? [] : ["etag", etag];
    return body === undefined || isMinimal ? { status, charge, headers } : { status, charge, headers, body };
  };
}
