// The operations on the users of a database and on their permissions, each of which is answered with a token.

import { COSMOS_LIMITS } from "../limits.ts";
import { answer } from "../queries/queries.ts";
import { type Call, fault, header, isTrue, type Reply } from "../request.ts";
import { isObject, type JsonObject, parseJson } from "../sql/values.ts";
import { systemProperties } from "./catalog.ts";
import { isResourceId, NO_DATABASE } from "./databases.ts";
import { resource, resources, select } from "./definitions.ts";
import { type Grant, tokenOf } from "./resource-tokens.ts";
import type { UserKind, UserResource } from "./user-store.ts";

const FEEDS = { users: "Users", permissions: "Permissions" } as const;
const DEFAULT_EXPIRY_S = 3600;
const { leastResourceTokenS: LEAST_EXPIRY, resourceTokenS: LONGEST_EXPIRY } = COSMOS_LIMITS;
const NOT_FOUND = "The user or permission does not exist.";

type Operation = (call: Call) => Reply | Promise<Reply>;

export const listUsers: Operation = (call) => list(call, "users");
export const queryUsers: Operation = (call) => query(call, "users");
export const createUser: Operation = (call) => create(call, "users");
export const readUser: Operation = (call) => read(call, "users");
export const replaceUser: Operation = (call) => replace(call, "users");
export const deleteUser: Operation = (call) => remove(call, "users");
export const listPermissions: Operation = (call) => list(call, "permissions");
export const queryPermissions: Operation = (call) => query(call, "permissions");
export const createPermission: Operation = (call) => create(call, "permissions");
export const readPermission: Operation = (call) => read(call, "permissions");
export const replacePermission: Operation = (call) => replace(call, "permissions");
export const deletePermission: Operation = (call) => remove(call, "permissions");

function list(call: Call, kind: UserKind): Reply {
  const parent = parentOf(call, kind);
  if (!parent) return fault(404, kind === "users" ? NO_DATABASE : NOT_FOUND);
  return resources(FEEDS[kind], parent.rid, definitionsOf(call, kind, parent));
}

function query(call: Call, kind: UserKind): Reply | Promise<Reply> {
  const parent = parentOf(call, kind);
  if (!parent) return fault(404, kind === "users" ? NO_DATABASE : NOT_FOUND);
  return answer(() => resources(FEEDS[kind], parent.rid, select(call.body, definitionsOf(call, kind, parent))));
}

/** Also an upsert, where the header says so. */
async function create(call: Call, kind: UserKind): Promise<Reply> {
  const parent = parentOf(call, kind);
  if (!parent) return fault(404, kind === "users" ? NO_DATABASE : NOT_FOUND);
  const given = parseJson(call.body);
  const wrong = faultOf(call, kind, given);
  if (wrong) return wrong;
  const wanted = contentOf(kind, given as JsonObject);
  const isUpsert = isTrue(header(call, "x-ms-documentdb-is-upsert"));
  const { users } = call.catalog;
  return await call.database.write(() => {
    const old = isUpsert ? users.find(kind, parent.rid, String(wanted["id"])) : undefined;
    const stored = users.put(kind, parent.rid, wanted, old);
    return stored ? show(call, kind, parent, stored, old ? 200 : 201) : taken();
  });
}

function read(call: Call, kind: UserKind): Reply {
  const { parent, found } = find(call, kind);
  return parent && found ? show(call, kind, parent, found, 200) : fault(404, NOT_FOUND);
}

async function replace(call: Call, kind: UserKind): Promise<Reply> {
  const given = parseJson(call.body);
  const wrong = faultOf(call, kind, given);
  if (wrong) return wrong;
  return await call.database.write(() => {
    const { parent, found } = find(call, kind);
    if (!parent || !found) return fault(404, NOT_FOUND);
    const stored = call.catalog.users.put(kind, parent.rid, contentOf(kind, given as JsonObject), found);
    return stored ? show(call, kind, parent, stored, 200) : taken();
  });
}

async function remove(call: Call, kind: UserKind): Promise<Reply> {
  return await call.database.write(() => {
    const { found } = find(call, kind);
    if (!found) return fault(404, NOT_FOUND);
    call.catalog.users.remove(kind, found);
    return { status: 204, charge: 1 };
  });
}

const taken = () => fault(409, "Another user or permission has that id.");

interface Parent {
  readonly rid: string;
  /** The link of the parent by resource ids, with a slash at its end. */
  readonly self: string;
}

function parentOf(call: Call, kind: UserKind): Parent | undefined {
  const database = call.catalog.databases.get(call.names[0] ?? "");
  if (!database) return undefined;
  const self = `dbs/${database.rid}/`;
  if (kind === "users") return { rid: database.rid, self };
  const user = call.catalog.users.find("users", database.rid, call.names[1] ?? "");
  return user && { rid: user.rid, self: `${self}users/${user.rid}/` };
}

function find(call: Call, kind: UserKind): { parent?: Parent | undefined; found?: UserResource | undefined } {
  const parent = parentOf(call, kind);
  const name = call.names[kind === "users" ? 1 : 2] ?? "";
  return parent ? { parent, found: call.catalog.users.find(kind, parent.rid, name) } : {};
}

function definitionsOf(call: Call, kind: UserKind, parent: Parent): JsonObject[] {
  return call.catalog.users.list(kind, parent.rid).map((stored) => definitionOf(call, kind, parent, stored));
}

const show = (call: Call, kind: UserKind, parent: Parent, stored: UserResource, status: number): Reply =>
  resource(status, definitionOf(call, kind, parent, stored));

/** Each answer with a permission has a new token. */
function definitionOf(call: Call, kind: UserKind, { self }: Parent, { rid, definition }: UserResource): JsonObject {
  const named = { ...definition, _rid: rid, _self: `${self}${kind}/${rid}/` };
  if (kind === "users") return { ...named, _permissions: "permissions/" };
  const grant = grantOf(call, definition);
  return grant ? { ...named, _token: tokenOf(grant) } : named;
}

/** What this server keeps of what a client sent, which may be an earlier answer. */
function contentOf(kind: UserKind, given: JsonObject): JsonObject {
  const { id, permissionMode, resource: link, resourcePartitionKey: key } = given;
  if (kind === "users") return { id: id ?? "", ...systemProperties() };
  const own = { id: id ?? "", permissionMode: permissionMode ?? "", resource: link ?? "" };
  return { ...own, ...(key === undefined ? {} : { resourcePartitionKey: key }), ...systemProperties() };
}

function faultOf(call: Call, kind: UserKind, given: unknown): Reply | undefined {
  if (!isObject(given)) return fault(400, "The request body is not a JSON object.");
  if (!isResourceId(given["id"]))
    return fault(400, "The id is missing, too long or has one of the characters / \\ ? #.");
  if (kind === "users") return undefined;
  const { permissionMode: mode, resource: link, resourcePartitionKey: key } = given;
  if (!/^(read|all)$/i.test(String(mode))) return fault(400, "The permissionMode is Read or All.");
  if (typeof link !== "string") return fault(400, "A permission names a resource.");
  if (key !== undefined && !Array.isArray(key)) return fault(400, "The resourcePartitionKey is an array.");
  const seconds = expiryOf(call);
  if (!(seconds >= LEAST_EXPIRY.value && seconds <= LONGEST_EXPIRY.value))
    return fault(400, `A token is valid for ${LEAST_EXPIRY.value} to ${LONGEST_EXPIRY.value} seconds.`);
  return grantOf(call, given) ? undefined : fault(404, "The resource of the permission does not exist.");
}

const expiryOf = (call: Call) => Number(header(call, "x-ms-documentdb-expiry-seconds") ?? DEFAULT_EXPIRY_S);

/** Undefined where the resource is not there (any more). */
function grantOf(call: Call, definition: JsonObject): Grant | undefined {
  const segments = String(definition["resource"])
    .replace(/^\/+|\/+$/g, "")
    .split("/");
  const [databases, , containers, , documents] = segments;
  if (databases !== "dbs" || (containers !== undefined && containers !== "colls")) return undefined;
  if (documents !== undefined && documents !== "docs") return undefined;
  const names = call.catalog.names(segments.filter((_, index) => index % 2 === 1));
  const path = call.catalog.grantedPath(names);
  const key = definition["resourcePartitionKey"];
  return (
    path && {
      mode: /^all$/i.test(String(definition["permissionMode"])) ? "All" : "Read",
      resource: path,
      until: Date.now() + expiryOf(call) * 1000,
      ...(key === undefined ? {} : { key: JSON.stringify(key) }),
    }
  );
}
