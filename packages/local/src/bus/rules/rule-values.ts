// The values in a rule's description: as texts with a type, as the filter language has them, and as AMQP does.
import type { Typed } from "rhea";
import { z } from "zod";
import { types } from "../rhea-internals.ts";
import { Uuid, type Value } from "../sql/values.ts";

/** XML Schema's names, as the administration protocol writes them. */
const READERS: Readonly<Record<string, (text: string) => Value>> = {
  string: (text) => text,
  int: (text) => BigInt(text),
  long: (text) => BigInt(text),
  short: (text) => BigInt(text),
  double: Number,
  float: Number,
  decimal: Number,
  boolean: (text) => text.toLowerCase() === "true",
  dateTime: (text) => new Date(text),
  guid: readUuid,
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function readUuid(text: string): Uuid {
  if (!UUID.test(text)) throw new RangeError(`${text} is no Guid`);
  return new Uuid(text);
}

const typedText = z
  .object({ type: z.enum(Object.keys(READERS)), value: z.string() })
  .refine(isReadable, { error: "is not a value of its type" });

export type TypedText = z.infer<typeof typedText>;

/** A file may have plain values: they have JSON's types. */
const plain = z.union([z.string(), z.number(), z.boolean()]).transform(typePlain);

export const typedTexts = z.record(z.string(), z.union([plain, typedText])).default({});

function typePlain(value: string | number | boolean): TypedText {
  const type = typeof value === "number" ? "double" : typeof value === "string" ? "string" : "boolean";
  return { type, value: String(value) };
}

function isReadable({ type, value }: { type: string; value: string }): boolean {
  try {
    const read = READERS[type]?.(value);
    return !(read instanceof Date && Number.isNaN(read.getTime()));
  } catch {
    // BigInt refuses what is no integer, as we do what is no Guid.
    return false;
  }
}

export function readValues(texts: Readonly<Record<string, TypedText>>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, { type, value }]) => [name, READERS[type]?.(value) ?? null]),
  );
}

/** @returns undefined for a value that a rule's description cannot hold. */
export function writeText(value: unknown): TypedText | undefined {
  if (value instanceof Date) return { type: "dateTime", value: value.toISOString() };
  if (Number.isSafeInteger(value)) return { type: "long", value: String(value) };
  return ["string", "number", "boolean"].includes(typeof value) ? typePlain(value as string) : undefined;
}

/** The AMQP value of what an action sets. */
export function encodeValue(value: Value): Typed {
  if (typeof value === "bigint") {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64BE(value);
    return types.wrap_long(bytes);
  }
  if (typeof value === "number") return types.wrap_double(value);
  if (value instanceof Uuid) return types.wrap_uuid(Buffer.from(value.text.replaceAll("-", ""), "hex"));
  return types.wrap(value);
}
