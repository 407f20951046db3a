// The members that messages have by their contracts, as JSON Schema: content by its workflow's contract, the app's own messages by their members.

import type { z } from "zod";
import { type Contract, resultSchemaOf } from "./contract.ts";

/** The part of JSON Schema that `z.toJSONSchema` writes and that says which members a value may have. Without any of these: any value. */
export interface Shape {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: { readonly [name: string]: Shape };
  readonly additionalProperties?: Shape | boolean;
  readonly items?: Shape | boolean;
  readonly prefixItems?: readonly Shape[];
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly allOf?: readonly Shape[];
  readonly $ref?: string;
  readonly $defs?: { readonly [name: string]: Shape };
  /** Ours: a credential, which is shown to nobody. */
  readonly isCredential?: true;
  /** Ours: a known member that may repeat what nobody has compared with the job's secrets yet. */
  readonly isHidden?: true;
}

const shapes = new WeakMap<Contract, Shape>();

/** What an operator without the role to see secrets is shown of a contract's content. */
export function shapeOf(contract: Contract): Shape {
  const known = shapes.get(contract);
  if (known) return known;
  const made = withoutReferences(resultSchemaOf(contract.schema as z.ZodType) as Shape);
  shapes.set(contract, made);
  return made;
}

export function unionOf(options: readonly Shape[]): Shape {
  return options.length === 1 && options[0] ? options[0] : { anyOf: options };
}

const TEXT: Shape = { type: "string" };
const NUMBER: Shape = { type: "number" };
const FLAG: Shape = { type: "boolean" };
/** Such as what the job's record shows too: its secrets are removed from it. */
const ANY: Shape = {};
/** A service's or an agent's words in a reply: they are compared with the job's secrets when they are recorded, which these were not. */
const WORDS: Shape = { isHidden: true };

/** @param content the job in a request to an agent */
export function ownMessageShape(content: Shape): Shape {
  const place = { jobId: TEXT, attempt: NUMBER, step: TEXT, direction: TEXT, lockedBy: TEXT, round: NUMBER };
  const ticket = { ...place, nonce: { isCredential: true } } as const;
  const texts = ["operation", "idempotencyKey", "startBy", "completeWithin", "completeBy", "priority", "kind"];
  const more = ["within", "traceparent", "reason", "contentDigest"];
  const words = ["endpoint", "because", "reference", "message", "progress", "result", "failure"];
  return {
    type: "object",
    properties: {
      ...Object.fromEntries([...texts, ...more].map((name) => [name, TEXT])),
      ...Object.fromEntries(words.map((name) => [name, WORDS])),
      ...ticket,
      ticket: { type: "object", properties: ticket },
      job: content,
      completion: { type: "object", properties: { url: TEXT, within: TEXT } },
      ...{ schemaVersion: NUMBER, retryAfterMs: NUMBER },
      ...{ mayHaveHappened: FLAG, misconfigured: FLAG, ofRequest: FLAG, ofCode: FLAG, outcomeUnknown: FLAG },
      ...{ results: ANY, item: ANY, compensates: ANY, awaited: ANY },
    },
  };
}

/** A schema that refers to itself is opened a few times: content that is nested deeper counts as unknown. */
const OPENED = 4;

function withoutReferences(root: Shape): Shape {
  const open = (shape: Shape, depth: number): Shape => {
    if (shape.$ref !== undefined) return depth > OPENED ? { enum: [] } : open(referred(root, shape.$ref), depth + 1);
    const inner = (one: Shape) => open(one, depth);
    const { properties, additionalProperties, items, prefixItems, anyOf, oneOf, allOf } = shape;
    return {
      ...shape,
      ...(properties && {
        properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, inner(member)])),
      }),
      ...(typeof additionalProperties === "object" && { additionalProperties: inner(additionalProperties) }),
      ...(typeof items === "object" && { items: inner(items) }),
      ...(prefixItems && { prefixItems: prefixItems.map(inner) }),
      ...(anyOf && { anyOf: anyOf.map(inner) }),
      ...(oneOf && { oneOf: oneOf.map(inner) }),
      ...(allOf && { allOf: allOf.map(inner) }),
    };
  };
  return open(root, 0);
}

/** `#`, or `#/$defs/name`: what `z.toJSONSchema` writes. */
function referred(root: Shape, reference: string): Shape {
  if (reference === "#") return root;
  return root.$defs?.[reference.slice(reference.lastIndexOf("/") + 1)] ?? { enum: [] };
}

/** The shape, or those of its options that the value can be one of, as one; undefined if it can be none. */
export function fitting(value: unknown, shape: Shape): Shape | undefined {
  const options = shape.anyOf ?? shape.oneOf ?? shape.allOf;
  if (!options) return isOfType(value, shape) ? shape : undefined;
  const fits = options.flatMap((option) => fitting(value, option) ?? []);
  return fits.length > 1 ? merged(fits) : fits[0];
}

function merged(shapes: readonly Shape[]): Shape {
  const names = new Set(shapes.flatMap(({ properties = {} }) => Object.keys(properties)));
  const properties = [...names].map((name): [string, Shape] => [
    name,
    { anyOf: shapes.flatMap((shape) => shape.properties?.[name] ?? []) },
  ]);
  const rest = shapes.find(({ additionalProperties }) => typeof additionalProperties === "object");
  const lists = shapes.flatMap(({ items }) => (typeof items === "object" ? [items] : []));
  return {
    properties: Object.fromEntries(properties),
    ...(rest?.additionalProperties !== undefined && { additionalProperties: rest.additionalProperties }),
    ...(lists.length > 0 && { items: { anyOf: lists } }),
  };
}

function isOfType(value: unknown, { type, const: only, enum: some }: Shape): boolean {
  if (type === undefined && only === undefined && some === undefined) return true;
  const named = type ?? (some ?? [only]).map(typeOf);
  const types = typeof named === "string" ? [named] : named;
  return types.some((one) => one === typeOf(value) || (one === "integer" && typeof value === "number"));
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

export function memberOf(shape: Shape, name: string): Shape | undefined {
  const { properties, additionalProperties, type } = shape;
  if (properties && Object.hasOwn(properties, name)) return properties[name];
  if (typeof additionalProperties === "object") return additionalProperties;
  return additionalProperties === true || (properties === undefined && type === undefined) ? ANY : undefined;
}

export function itemOf({ items, prefixItems = [], type }: Shape, at: number): Shape {
  const own = prefixItems[at] ?? items;
  if (typeof own === "object") return own;
  return own === true || type === undefined ? ANY : { enum: [] };
}
