// What the administration port answers: one literal table of methods and paths.

import type { Broker } from "../broker.ts";
import type { Entity } from "../entities/entity.ts";
import { isPartName, subscriptionPath } from "../entities/entity-path.ts";
import type { ArmProperties, EntityKind } from "../queue/queue-settings.ts";
import type { Store } from "../queue/store.ts";
import { DEFAULT_RULE, parseRule, type Rule } from "../rules/rule.ts";
import { child, tag, textOf, writeEntry, writeFault, writeFeed } from "./atom.ts";
import { type EntityRequest, readEntity, writeEntity } from "./entity-entry.ts";
import { readRule, readRuleDescription, writeRule } from "./rule-entry.ts";

const PAGE = 100;

export interface Answer {
  readonly status: number;
  /** JSON if it is an object, else XML. */
  readonly body: object | string;
}

export interface AdminRequest {
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

const ENTITY_LIST: Readonly<Record<string, readonly [EntityKind, string]>> = {
  queues: ["queue", "Queues"],
  topics: ["topic", "Topics"],
};

/** The first that fits counts: an entity's name may have slashes. */
const ROUTES: readonly (readonly [method: string, path: RegExp, handler: Handler])[] = [
  ["GET", /^\$namespaceinfo$/i, showNamespace],
  ["GET", /^\$resources\/(queues|topics)$/i, listEntities],
  ["GET", /^(.+)\/subscriptions$/i, listSubscriptions],
  ["GET", /^(.+)\/subscriptions\/([^/]+)\/rules$/i, listRules],
  ["GET", /^(.+)\/subscriptions\/([^/]+)\/rules\/([^/]+)$/i, showRule],
  ["PUT", /^(.+)\/subscriptions\/([^/]+)\/rules\/([^/]+)$/i, putRule],
  ["DELETE", /^(.+)\/subscriptions\/([^/]+)\/rules\/([^/]+)$/i, deleteRule],
  ["GET", /^(.+)$/, showEntity],
  ["PUT", /^(.+)$/, putEntity],
  ["DELETE", /^(.+)$/, deleteEntity],
];

export function answerAdmin(context: AdminContext, request: AdminRequest): Answer | Promise<Answer> {
  for (const [method, pattern, handler] of ROUTES) {
    const [found, ...names] = method === request.method ? (pattern.exec(request.path) ?? []) : [];
    if (found !== undefined) return handler(context, request, ...names);
  }
  return fault(405, `${request.method} is not served for /${request.path}.`);
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

function listEntities(context: AdminContext, request: AdminRequest, list = ""): Answer {
  const [kind, title] = ENTITY_LIST[list.toLowerCase()] ?? ["queue", "Queues"];
  return page(request, title, context.broker.catalog.list(kind), (entity) => describe(context, request, entity));
}

function listSubscriptions(context: AdminContext, request: AdminRequest, topic = ""): Answer {
  const { catalog } = context.broker;
  if (catalog.get(topic)?.row.kind !== "topic") return notFound(topic);
  const subscriptions = catalog.list("subscription", topic);
  return page(request, "Subscriptions", subscriptions, (entity) => describe(context, request, entity));
}

function showEntity(context: AdminContext, request: AdminRequest, path = ""): Answer {
  const entity = context.broker.catalog.get(path);
  return entity ? { status: 200, body: describe(context, request, entity) } : notFound(path);
}

async function putEntity(context: AdminContext, request: AdminRequest, path = ""): Promise<Answer> {
  const { catalog } = context.broker;
  const wanted = readEntity(request.body);
  if (!wanted) return fault(400, "The entry describes no queue, topic or subscription.");
  const present = catalog.get(path);
  if (request.isUpdate && !present) return notFound(path);
  if (!request.isUpdate && present) return alreadyThere(path);
  const { kind, properties } = wanted;
  const change = { kind, path: canonical(path, kind), properties };
  const settingsFault = catalog.findFault(change);
  if (settingsFault) return fault(400, settingsFault);
  const rules = firstRules(context, wanted);
  if (typeof rules === "string") return fault(400, rules);
  await catalog.put(change, request.isUpdate ? undefined : rules);
  const entity = catalog.get(path);
  if (!entity) return notFound(path);
  return { status: request.isUpdate ? 200 : 201, body: describe(context, request, entity) };
}

/** `undefined`: the usual one. A text says what is wrong. */
function firstRules({ now }: AdminContext, { rule }: EntityRequest): Rule[] | string | undefined {
  if (rule === undefined) return undefined;
  const parsed = parseRule(textOf(child(rule, "Name")) ?? DEFAULT_RULE, readRuleDescription(rule), now());
  return typeof parsed === "string" ? parsed : [parsed];
}

async function deleteEntity({ broker }: AdminContext, _request: AdminRequest, path = ""): Promise<Answer> {
  return (await broker.catalog.delete(path)) ? { status: 200, body: "" } : notFound(path);
}

function listRules(context: AdminContext, request: AdminRequest, topic = "", name = ""): Answer {
  const subscription = findSubscription(context, topic, name);
  if (!subscription?.rules) return notFound(subscriptionPath(topic, name));
  const { row, rules } = subscription;
  return page(request, "Rules", rules.all(), (rule) => writeRule(request.base, row.name, rule));
}

function showRule(context: AdminContext, { base }: AdminRequest, topic = "", name = "", ruleName = ""): Answer {
  const subscription = findSubscription(context, topic, name);
  const rule = subscription?.rules?.get(ruleName);
  if (!subscription || !rule) return notFound(`${subscriptionPath(topic, name)}/Rules/${ruleName}`);
  return { status: 200, body: writeRule(base, subscription.row.name, rule) };
}

async function putRule(
  context: AdminContext,
  request: AdminRequest,
  topic = "",
  name = "",
  ruleName = "",
): Promise<Answer> {
  const subscription = findSubscription(context, topic, name);
  if (!subscription) return notFound(subscriptionPath(topic, name));
  const path = `${subscription.row.name}/Rules/${ruleName}`;
  const present = subscription.rules?.get(ruleName);
  if (request.isUpdate && !present) return notFound(path);
  if (!request.isUpdate && present) return alreadyThere(path);
  const properties: ArmProperties | undefined = readRule(request.body);
  if (!properties) return fault(400, "The entry describes no rule.");
  if (!isPartName(ruleName)) return fault(400, `${ruleName} is no name of a rule.`);
  const rule = parseRule(present?.name ?? ruleName, properties, present?.createdAt ?? context.now());
  if (typeof rule === "string") return fault(400, rule);
  await context.broker.catalog.putRule(subscription, rule);
  return { status: request.isUpdate ? 200 : 201, body: writeRule(request.base, subscription.row.name, rule) };
}

async function deleteRule(
  context: AdminContext,
  _request: AdminRequest,
  topic = "",
  name = "",
  ruleName = "",
): Promise<Answer> {
  const subscription = findSubscription(context, topic, name);
  const isGone = subscription && (await context.broker.catalog.deleteRule(subscription, ruleName));
  return isGone ? { status: 200, body: "" } : notFound(`${subscriptionPath(topic, name)}/Rules/${ruleName}`);
}

function findSubscription({ broker }: AdminContext, topic: string, name: string): Entity | undefined {
  return broker.catalog.get(subscriptionPath(topic, name));
}

/** The client reads a subscription's name from between these words. */
function canonical(path: string, kind: EntityKind): string {
  return kind === "subscription" ? path.replace(/\/subscriptions\/([^/]+)$/i, "/Subscriptions/$1") : path;
}

function describe({ broker, store }: AdminContext, { base }: AdminRequest, entity: Entity): string {
  const { number, name, kind } = entity.row;
  const subscriptions = kind === "topic" ? broker.catalog.list("subscription", name).length : 0;
  return writeEntity(base, entity, { sizeInBytes: store.sizeInBytes(number), subscriptions });
}

function page<T>(request: AdminRequest, title: string, all: readonly T[], write: (one: T) => string): Answer {
  const { base, path, query } = request;
  const skip = Number(query.get("$skip") ?? 0);
  const top = Number(query.get("$top") ?? PAGE);
  if (!Number.isInteger(skip) || !Number.isInteger(top)) return fault(400, "$skip and $top have to be numbers.");
  const shown = all.slice(skip, skip + top);
  const isMore = skip + shown.length < all.length && shown.length > 0;
  const next = isMore ? `${base}/${path}?$skip=${skip + shown.length}&$top=${top}` : undefined;
  return { status: 200, body: writeFeed(title, `${base}/${path}`, shown.map(write), next) };
}

/** Clients look for the first word, here and where there is none. */
function alreadyThere(path: string): Answer {
  return fault(409, `Entity '${path}' exists already.`);
}

function notFound(path: string): Answer {
  return fault(404, `Entity '${path}' does not exist.`);
}

export function fault(status: number, detail: string): Answer {
  return { status, body: writeFault(status, detail) };
}
