// What the administration port answers: one literal table of methods and paths.

import type { Broker } from "../broker.ts";
import type { Entity } from "../entities/entity.ts";
import { isOfTopic, NO_TOPICS } from "../entities/entity-path.ts";
import type { Store } from "../queue/store.ts";
import { tag, writeEntry, writeFault, writeFeed } from "./atom.ts";
import { readEntity, writeEntity } from "./entity-entry.ts";

const PAGE = 100;

export interface Answer {
  readonly status: number;
  /** JSON if it is an object, else XML. */
  readonly body: object | string;
}

interface AdminRequest {
  readonly method: string;
  /** Without the first slash, decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Where the client found the server. */
  readonly base: string;
  readonly isUpdate: boolean;
  readonly body: string;
}

export interface AdminContext {
  readonly broker: Broker;
  readonly store: Store;
  readonly startedAt: number;
  now(): number;
}

type Handler = (context: AdminContext, request: AdminRequest, ...names: string[]) => Answer | Promise<Answer>;

/** The first that fits counts: an entity's name may have slashes. */
const ROUTES: readonly (readonly [method: string, path: RegExp, handler: Handler])[] = [
  ["GET", /^\$namespaceinfo$/i, showNamespace],
  ["GET", /^\$resources\/queues$/i, listQueues],
  ["GET", /^(.+)$/, showEntity],
  ["PUT", /^(.+)$/, putEntity],
  ["DELETE", /^(.+)$/, deleteEntity],
];

export function answerAdmin(context: AdminContext, request: AdminRequest): Answer | Promise<Answer> {
  if (isOfTopic(request.path)) return faultAnswer(400, NO_TOPICS);
  for (const [method, pattern, handler] of ROUTES) {
    const [found, ...names] = method === request.method ? (pattern.exec(request.path) ?? []) : [];
    if (found !== undefined) return handler(context, request, ...names);
  }
  return faultAnswer(405, `${request.method} is not served for /${request.path}.`);
}

function showNamespace({ startedAt }: AdminContext, { base }: AdminRequest): Answer {
  const created = new Date(startedAt).toISOString();
  const name = namespaceOf(base);
  const frame = { id: `${base}/$namespaceinfo`, title: name, createdAt: startedAt, updatedAt: startedAt };
  const content = [
    tag("CreatedTime", created),
    tag("MessagingSKU", "Standard"),
    tag("ModifiedTime", created),
    tag("Name", name),
    tag("NamespaceType", "Messaging"),
  ];
  return { status: 200, body: writeEntry(frame, "NamespaceInfo", content) };
}

/** By the name under which a client found it, as in Azure; an address has none. */
const namespaceOf = (base: string) => /^\w+:\/\/([^./]+)\.servicebus\./.exec(base)?.[1] ?? "local-bus";

function listQueues(context: AdminContext, request: AdminRequest): Answer {
  const { base, path, query } = request;
  const all = context.broker.catalog.all();
  const skip = Number(query.get("$skip") ?? 0);
  const top = Number(query.get("$top") ?? PAGE);
  if (!Number.isInteger(skip) || !Number.isInteger(top)) return faultAnswer(400, "$skip and $top have to be numbers.");
  const shown = all.slice(skip, skip + top);
  const isMore = skip + shown.length < all.length && shown.length > 0;
  const next = isMore ? `${base}/${path}?$skip=${skip + shown.length}&$top=${top}` : undefined;
  const entries = shown.map((entity) => describe(context, request, entity));
  return { status: 200, body: writeFeed("Queues", `${base}/${path}`, entries, next) };
}

function showEntity(context: AdminContext, request: AdminRequest, path = ""): Answer {
  const entity = context.broker.catalog.get(path);
  return entity ? { status: 200, body: describe(context, request, entity) } : notFound(path);
}

async function putEntity(context: AdminContext, request: AdminRequest, path = ""): Promise<Answer> {
  const { catalog } = context.broker;
  const properties = readEntity(request.body);
  if (!properties) return faultAnswer(400, `The entry describes no queue. ${NO_TOPICS}`);
  const present = catalog.get(path);
  if (request.isUpdate && !present) return notFound(path);
  if (!request.isUpdate && present) return alreadyThere(path);
  const change = { path, properties };
  const settingsFault = catalog.findFault(change);
  if (settingsFault) return faultAnswer(400, settingsFault);
  await catalog.put(change);
  const entity = catalog.get(path);
  if (!entity) return notFound(path);
  return { status: request.isUpdate ? 200 : 201, body: describe(context, request, entity) };
}

async function deleteEntity({ broker }: AdminContext, _request: AdminRequest, path = ""): Promise<Answer> {
  return (await broker.catalog.delete(path)) ? { status: 200, body: "" } : notFound(path);
}

function describe({ store }: AdminContext, { base }: AdminRequest, entity: Entity): string {
  return writeEntity(base, entity, store.sizeInBytes(entity.row.number));
}

/** Clients look for the first word, here and where there is none. */
function alreadyThere(path: string): Answer {
  return faultAnswer(409, `Entity '${path}' exists already.`);
}

function notFound(path: string): Answer {
  return faultAnswer(404, `Entity '${path}' does not exist.`);
}

export function faultAnswer(status: number, detail: string): Answer {
  return { status, body: writeFault(status, detail) };
}
