// What a query computes with: JSON values and undefined, their order and their equality as Cosmos DB defines them.
import { isObject, type Json } from "../../json.ts";

/** A property that is not there evaluates to undefined, which is no error and is never written. */
export type Value = Json | undefined;

/** The order of the types in ORDER BY, MIN and MAX: undefined, null, false, true, numbers, strings, arrays, objects. */
function rank(value: Value): number {
  if (value === undefined) return 0;
  if (value === null) return 1;
  if (typeof value === "boolean") return value ? 3 : 2;
  if (typeof value === "number") return 4;
  if (typeof value === "string") return 5;
  return Array.isArray(value) ? 6 : 7;
}

export function compareValues(a: Value, b: Value): number {
  const byType = rank(a) - rank(b);
  if (byType !== 0) return byType;
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  return 0;
}

/** Values of different types are unequal; comparing with undefined is undefined, and so filters the document out. */
export function equal(a: Value, b: Value): boolean | undefined {
  if (a === undefined || b === undefined) return undefined;
  return same(a, b);
}

function same(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => same(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}

/** A text that two values share where they are equal: the order of an object's properties means nothing. */
export function identity(value: Value): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "";
  if (Array.isArray(value)) return `[${value.map(identity).join(",")}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, own]) => `${JSON.stringify(key)}:${identity(own)}`).join(",")}}`;
}

/** Values of different types, arrays and objects have no order in an operator: `<` and the like are undefined on them. */
export function ordered(a: Value, b: Value): number | undefined {
  const byType = rank(a) - rank(b);
  const booleans = typeof a === "boolean" && typeof b === "boolean";
  if (booleans) return byType;
  if (byType !== 0 || a === undefined || typeof a === "object") return undefined;
  return compareValues(a, b);
}

/** A text that sorts in SQLite as the value sorts in Cosmos DB; null for undefined, which no index holds. */
export function sortKey(value: Value): string | null {
  const type = rank(value);
  if (type === 0) return null;
  if (typeof value === "string") return `5${value}`;
  if (typeof value === "number") return `4${sortableNumber(value)}`;
  return String(type);
}

/** The value of a sort key, or nothing where the key does not hold it (arrays and objects). */
export function valueOfKey(key: string | null): { readonly value: Value } | undefined {
  if (key === null) return { value: undefined };
  switch (key.charCodeAt(0) - 48) {
    case 1:
      return { value: null };
    case 2:
      return { value: false };
    case 3:
      return { value: true };
    case 4:
      return { value: numberOfSortable(key.slice(1)) };
    case 5:
      return { value: key.slice(1) };
    default:
      return undefined;
  }
}

const bits = new DataView(new ArrayBuffer(8));
const SIGN = 1n << 63n;
const ALL = (1n << 64n) - 1n;

/** The bits of the double, flipped so that their hexadecimal text sorts as the number does. */
function sortableNumber(value: number): string {
  bits.setFloat64(0, value === 0 ? 0 : value);
  const raw = bits.getBigUint64(0);
  return ((raw & SIGN) !== 0n ? raw ^ ALL : raw ^ SIGN).toString(16).padStart(16, "0");
}

function numberOfSortable(text: string): number {
  const flipped = BigInt(`0x${text}`);
  bits.setBigUint64(0, (flipped & SIGN) !== 0n ? flipped ^ SIGN : flipped ^ ALL);
  return bits.getFloat64(0);
}
