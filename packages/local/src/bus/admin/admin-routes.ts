// What the administration port answers: one literal table of methods and paths.

import type { Broker } from "../broker.ts";
import type { Entity } from "../entities/entity.ts";
import { isOfTopic, NO_TOPICS } from "../entities/entity-path.ts";
import type { Store } from "../queue/store.ts";
import { writeFault } from "./atom.ts";
import { readEntity, writeEntity } from "./entity-entry.ts";

export interface Answer {
  readonly status: number;
  /** JSON if it is an object, else XML. */
  readonly body: object | string;
}

interface AdminRequest {
  readonly method: string;
  /** Without the first slash, decoded. */
  readonly path: string;
  /** Where the client found the server. */
  readonly base: string;
  readonly isUpdate: boolean;
  readonly body: string;
}

export interface AdminContext {
  readonly broker: Broker;
  readonly store: Store;
}

type Handler = (context: AdminContext, request: AdminRequest) => Answer | Promise<Answer>;

/** The first that fits counts: an entity's name may have slashes. */
const ROUTES: readonly (readonly [method: string, path: RegExp, handler: Handler])[] = [
  ["GET", /^\$namespaceinfo$/i, () => refuse("Properties of the namespace")],
  ["GET", /^\$resources\/queues$/i, () => refuse("Lists of queues")],
  ["GET", /./, showEntity],
  ["PUT", /./, createEntity],
  ["DELETE", /./, deleteEntity],
];

export function answerAdmin(context: AdminContext, request: AdminRequest): Answer | Promise<Answer> {
  if (isOfTopic(request.path)) return faultAnswer(400, NO_TOPICS);
  const [, , handler] = ROUTES.find(([method, path]) => method === request.method && path.test(request.path)) ?? [];
  return handler?.(context, request) ?? faultAnswer(405, `${request.method} is not served for /${request.path}.`);
}

/** @param what in the plural. */
function refuse(what: string): Answer {
  return faultAnswer(400, `${what} are not supported by this broker: it creates, shows and deletes single queues.`);
}

function showEntity(context: AdminContext, request: AdminRequest): Answer {
  const entity = context.broker.catalog.get(request.path);
  return entity ? { status: 200, body: describe(context, request, entity) } : notFound(request.path);
}

async function createEntity(context: AdminContext, request: AdminRequest): Promise<Answer> {
  const { path, isUpdate } = request;
  const { catalog } = context.broker;
  // Clients look for the first word.
  if (!isUpdate && catalog.get(path)) return faultAnswer(409, `Entity '${path}' exists already.`);
  const properties = readEntity(request.body);
  if (!properties) return faultAnswer(400, `The entry describes no queue. ${NO_TOPICS}`);
  if (isUpdate) return refuse("Updates of queues");
  const change = { path, properties };
  const settingsFault = catalog.findFault(change);
  if (settingsFault) return faultAnswer(400, settingsFault);
  await catalog.put(change);
  return { ...showEntity(context, request), status: 201 };
}

async function deleteEntity({ broker }: AdminContext, { path }: AdminRequest): Promise<Answer> {
  return (await broker.catalog.delete(path)) ? { status: 200, body: "" } : notFound(path);
}

function describe({ store }: AdminContext, { base }: AdminRequest, entity: Entity): string {
  return writeEntity(base, entity, store.sizeInBytes(entity.row.number));
}

/** Clients look for the first word. */
function notFound(path: string): Answer {
  return faultAnswer(404, `Entity '${path}' does not exist.`);
}

export function faultAnswer(status: number, detail: string): Answer {
  return { status, body: writeFault(status, detail) };
}
