// What of a message's body an operator without the role to see secrets is shown: the members that its contract knows, and of these no secret.
import { HIDDEN } from "../domain/content/job.ts";
import { plainName, textsIn } from "../domain/content/redactor.ts";
import { encodedRemoverOf, plainText } from "../domain/content/secret-text.ts";
import type { Shape } from "./message-shapes.ts";

export interface Found {
  /** The names of the secrets. */
  readonly secrets: readonly string[];
  /** The hidden texts: they may stand elsewhere in the message too. */
  readonly values: Set<string>;
}

/** What is not named as a secret is looked for elsewhere only from this length on: a shorter text may be an ordinary word. */
const NOTABLE = 8;

/** The value in the members that the shape knows. Others are counted, and their texts noted as found. */
export function visible(value: unknown, shape: Shape, found: Found): unknown {
  const fit = fitting(value, shape);
  if (!fit || fit.isCredential || fit.isHidden) return hide(value, found, fit?.isCredential === true);
  if (typeof value === "string") return mentionsSecret(value, found) ? hide(value, found) : value;
  if (Array.isArray(value)) return value.map((item, at) => visible(item, itemOf(fit, at), found));
  return value !== null && typeof value === "object" ? visibleMembers(value, fit, found) : value;
}

function visibleMembers(value: object, shape: Shape, found: Found): object {
  const shown: [string, unknown][] = [];
  let unknown = 0;
  for (const [name, member] of Object.entries(value)) {
    const own = memberOf(shape, name);
    if (isSecret(name, found)) {
      const hidden = hide(member, found, true);
      // A secret under another spelling may have another name in its text.
      if (own) shown.push([name, hidden]);
      else {
        unknown += 1;
        note(name, found);
      }
    } else if (own) {
      shown.push([name, visible(member, own, found)]);
    } else {
      unknown += 1;
      hide(member, found);
      note(name, found);
    }
  }
  if (unknown === 0) return Object.fromEntries(shown);
  const many = unknown === 1 ? "1 member that no contract knows is" : `${unknown} members that no contract knows are`;
  return Object.fromEntries([...shown, [HIDDEN, `${many} shown to the role Jobs.ReadData`]]);
}

function hide(value: unknown, found: Found, isSecretValue = false): string {
  for (const text of textsIn(value)) {
    if (isSecretValue) found.values.add(text);
    else note(text, found);
  }
  return HIDDEN;
}

function note(text: string, { values }: Found): void {
  if (text.length >= NOTABLE && text !== HIDDEN) values.add(text);
}

function isSecret(name: string, { secrets }: Found): boolean {
  return secrets.some((secret) => isNamedIn(plainText(name), plainName(secret)));
}

/** A short name, such as `pin`, is also a part of ordinary words. */
function isNamedIn(text: string, secret: string): boolean {
  return text === secret || (secret.length >= NOTABLE && text.includes(secret));
}

/** Such as `paymentToken=…`, escaped or encoded: what follows is the secret. */
function mentionsSecret(text: string, { secrets }: Found): boolean {
  const plain = plainText(text);
  return secrets.some((secret) => isNamedIn(plain, plainName(secret))) || encodedRemoverOf(secrets)(text) !== text;
}

/** The shape, or those of its options that the value can be one of, as one; undefined if it can be none. */
function fitting(value: unknown, shape: Shape): Shape | undefined {
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

const ANY: Shape = {};

function memberOf(shape: Shape, name: string): Shape | undefined {
  const { properties, additionalProperties, type } = shape;
  if (properties && Object.hasOwn(properties, name)) return properties[name];
  if (typeof additionalProperties === "object") return additionalProperties;
  return additionalProperties === true || (properties === undefined && type === undefined) ? ANY : undefined;
}

function itemOf({ items, prefixItems = [], type }: Shape, at: number): Shape {
  const own = prefixItems[at] ?? items;
  if (typeof own === "object") return own;
  return own === true || type === undefined ? ANY : { enum: [] };
}
