// What each operation does to one document, inside a write: alone, in a batch or in bulk alike.

import { isObject, type JsonObject } from "../../json.ts";
import { charges } from "../charges.ts";
import { COSMOS_LIMITS } from "../limits.ts";
import { WRONG_KEY } from "../partitions/key-scope.ts";
import { valueAt } from "../queries/indexing.ts";
import type { Container } from "../resources/container.ts";
import { QueryFault } from "../sql/fault.ts";
import type { Value } from "../sql/values.ts";
import type { NoRoom, StoredItem } from "./item-table.ts";
import { applyPatch, type Patch } from "./patch.ts";

export interface ItemResult {
  readonly status: number;
  readonly charge: number;
  readonly etag?: string;
  /** The document as JSON. */
  readonly body?: string;
  /** Why it was refused. */
  readonly fault?: string;
  readonly subStatus?: number;
}

interface Precondition {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

export interface Target {
  readonly container: Container;
  /** The canonical text of the partition key. */
  readonly pk: string;
  readonly now: number;
  readonly precondition: Precondition;
}

export const TOO_LARGE = "The document, or the request as a whole, is too large.";
const NOT_FOUND = "There is no document with this id.";
const NOT_UNIQUE = "Another document has these values of a unique key.";
const REFUSED = "The document has another ETag than the condition names.";

const REFUSALS: Readonly<Record<NoRoom, ItemResult>> = {
  "document too large": { status: 413, charge: charges.nothing, fault: TOO_LARGE },
  "partition key full": {
    status: 403,
    subStatus: 1014,
    charge: charges.nothing,
    fault: `The documents of this partition key have ${COSMOS_LIMITS.keyGigabytes.value} GB, which is all that they may have.`,
  },
};

export const refuse = (status: number, why: string): ItemResult => ({ status, charge: charges.nothing, fault: why });

/** Of a property that is not there, or is no plain value, the key holds `{}`, which is not the null of one that is. */
export function partitionKeyOf(document: JsonObject, container: Container): string {
  const values = container.partitionPaths.map((path) => valueAt(document, path));
  return JSON.stringify(values.map((value) => (isPlain(value) ? value : {})));
}

const isPlain = (value: Value) => value === null || (value !== undefined && typeof value !== "object");

/** What is wrong with a document that is to be stored under this key, if anything. */
export function faultOf(document: Value, target: Target): string | undefined {
  if (!isObject(document)) return "The document is not a JSON object.";
  const { id, ttl } = document;
  if (typeof id !== "string" || id === "") return "The document has no id that is a text.";
  if (Buffer.byteLength(id) > COSMOS_LIMITS.idBytes.value || /[/\\#]/.test(id))
    return "The id of the document is too long, or has one of / \\ #.";
  if (ttl !== undefined && !isTimeToLive(ttl)) return "The ttl of a document is -1 or a positive number of seconds.";
  const shape = shapeFault(document, COSMOS_LIMITS.nesting.value);
  if (shape !== undefined) return shape;
  if (partitionKeyOf(document, target.container) !== target.pk) {
    return WRONG_KEY;
  }
  return keySizeFault(target);
}

/** Of a document or, by default, of the documents of a container. */
export const isTimeToLive = (ttl: Value) =>
  Number.isInteger(ttl) && (ttl === -1 || (Number(ttl) > 0 && Number(ttl) <= COSMOS_LIMITS.ttl.value));

/** The document itself is no level. A number beyond IEEE 754, such as 1e999, would be stored as null. */
function shapeFault(value: JsonObject | readonly Value[], levels: number): string | undefined {
  if (levels < 0) return "The document is nested too deeply.";
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof inner === "number" && !Number.isFinite(inner)) return "The document has a number that is too large.";
    const wrong = typeof inner === "object" && inner !== null ? shapeFault(inner, levels - 1) : undefined;
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** Of version 1 too, whose hash is that of the first bytes. */
function keySizeFault({ pk }: Target): string | undefined {
  const { value: most } = COSMOS_LIMITS.keyBytes;
  // Its text is longer than its values, so most need no more than this.
  if (pk.length * 3 <= most) return undefined;
  const values = JSON.parse(pk) as Value[];
  const bytes = values.reduce(
    (sum: number, value) => sum + (typeof value === "string" ? Buffer.byteLength(value) : 0),
    0,
  );
  return bytes > most ? `The partition key has ${bytes} bytes, and may have ${most}.` : undefined;
}

export function readItem(target: Target, id: string): ItemResult {
  const { container, pk, now, precondition } = target;
  const item = container.items.find(pk, id, now);
  if (!item) return refuse(404, NOT_FOUND);
  const etag = container.items.etag(item.lsn);
  if (precondition.ifNoneMatch !== undefined && matches(precondition.ifNoneMatch, etag)) {
    return { status: 304, charge: charges.nothing, etag };
  }
  return { status: 200, charge: charges.read(item.body.length), etag, body: item.body };
}

export function createItem(target: Target, document: JsonObject): ItemResult {
  const { container, pk, now } = target;
  const id = String(document["id"]);
  if (container.items.isDropped) return refuse(404, NOT_FOUND);
  if (container.items.find(pk, id, now)) {
    return refuse(409, "A document with this id exists already.");
  }
  if (container.items.clashes(pk, document, undefined, now)) return refuse(409, NOT_UNIQUE);
  return stored(201, target, container.items.insert(pk, id, document, now));
}

/** Replace semantics where the document exists; create semantics, whatever If-Match says, where it does not. */
export function upsertItem(target: Target, document: JsonObject): ItemResult {
  const { container, pk, now } = target;
  const old = container.items.find(pk, String(document["id"]), now);
  return old ? overwrite(target, old, document) : createItem(target, document);
}

export function replaceItem(target: Target, id: string, document: JsonObject): ItemResult {
  if (document["id"] !== id) return refuse(400, "The id of the document does not match the one in the path.");
  const old = target.container.items.find(target.pk, id, target.now);
  return old ? overwrite(target, old, document) : refuse(404, NOT_FOUND);
}

export function deleteItem(target: Target, id: string): ItemResult {
  const { container, pk, now } = target;
  const old = container.items.find(pk, id, now);
  if (!old) return refuse(404, NOT_FOUND);
  if (!allows(target, old)) return refuse(412, REFUSED);
  container.items.remove(old);
  return { status: 204, charge: charges.delete(old.body.length, container.items.paths.length) };
}

export function patchItem(target: Target, id: string, patch: Patch): ItemResult {
  const { container, pk, now } = target;
  const old = container.items.find(pk, id, now);
  if (!old) return refuse(404, NOT_FOUND);
  if (!allows(target, old)) return refuse(412, REFUSED);
  const document = JSON.parse(old.body) as JsonObject;
  const holds = conditionOf(patch, document);
  if (holds !== true) return holds === false ? refuse(412, REFUSED) : refuse(400, holds);
  const fault = applyPatch(document, patch.operations) ?? faultOf(document, target);
  if (fault) return refuse(400, fault);
  if (container.items.clashes(pk, document, old, now)) return refuse(409, NOT_UNIQUE);
  return replaced(target, container.items.update(pk, old, document, now));
}

/** Whether the condition holds, or what is wrong with it. */
function conditionOf({ condition }: Patch, document: JsonObject): boolean | string {
  try {
    return condition?.(document) ?? true;
  } catch (cause) {
    if (cause instanceof QueryFault) return cause.message;
    throw cause;
  }
}

function overwrite(target: Target, old: StoredItem, document: JsonObject): ItemResult {
  const { container, pk, now } = target;
  if (!allows(target, old)) return refuse(412, REFUSED);
  if (container.items.clashes(pk, document, old, now)) return refuse(409, NOT_UNIQUE);
  return replaced(target, container.items.update(pk, old, document, now));
}

function allows({ container, precondition }: Target, item: StoredItem): boolean {
  const etag = container.items.etag(item.lsn);
  const { ifMatch, ifNoneMatch } = precondition;
  if (ifMatch !== undefined && !matches(ifMatch, etag)) return false;
  return ifNoneMatch === undefined || !matches(ifNoneMatch, etag);
}

/** Quotes are optional: the SDK sends `_etag` back as it got it, people often without. */
function matches(condition: string, etag: string): boolean {
  return condition === "*" || condition === etag || `"${condition}"` === etag;
}

function stored(status: number, { container }: Target, item: StoredItem | NoRoom): ItemResult {
  if (typeof item === "string") return REFUSALS[item];
  const charge = charges.insert(item.body.length, container.items.paths.length);
  return { status, charge, etag: container.items.etag(item.lsn), body: item.body };
}

function replaced({ container }: Target, item: StoredItem | NoRoom): ItemResult {
  if (typeof item === "string") return REFUSALS[item];
  const charge = charges.replace(item.body.length, container.items.paths.length);
  return { status: 200, charge, etag: container.items.etag(item.lsn), body: item.body };
}
