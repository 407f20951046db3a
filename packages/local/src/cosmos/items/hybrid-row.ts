// Batches in binary, as the .NET client sends them and wants their answers: records of HybridRow, of two fixed schemas.
// Sources: the schemas and the client's reader in Azure/azure-cosmos-dotnet-v3, the format in microsoft/HybridRow.
import { crc32 } from "node:zlib";
import { type JsonObject, parseJson } from "../../json.ts";
import type { ItemResult } from "./item-operations.ts";

/** The first byte of a row, and no first byte of JSON. */
export const HYBRID_ROW = 0x81;

const SCHEMA = { segment: 2147473648, record: 2147473649, operation: 2145473648, result: 2145473649 } as const;
const ROW_HEADER_BYTES = 5;
const RECORD_HEADER_BYTES = ROW_HEADER_BYTES + 8;
const SPARSE = { false: 2, true: 3, int32: 7, float64: 16, utf8: 20 } as const;

/** By the numbers that the client gives them. */
const OPERATIONS: Readonly<Record<number, string>> = {
  0: "Create",
  1: "Patch",
  2: "Read",
  4: "Delete",
  5: "Replace",
  20: "Upsert",
};
/** The bit that says whether a variable field is there, in the order in which they follow. */
const VARIABLE = [
  [1 << 2, "partitionKey"],
  [1 << 3, "effectivePartitionKey"],
  [1 << 4, "id"],
  [1 << 5, "binaryId"],
  [1 << 6, "resourceBody"],
] as const;
/** Sparse fields are named by their place in the schema. */
const FIELDS: Readonly<Record<number, string>> = {
  8: "indexingDirective",
  9: "ifMatch",
  10: "ifNoneMatch",
  11: "timeToLiveInSeconds",
  12: "minimalReturnPreference",
};
const REQUEST_CHARGE = 6;

/** The operations of a batch, or undefined where the bytes are none. */
export function readOperations(bytes: Buffer): JsonObject[] | undefined {
  try {
    return rowsOf(bytes).map(readOperation);
  } catch (cause) {
    if (cause instanceof RangeError) return undefined;
    throw cause;
  }
}

export function writeResults(results: readonly ItemResult[]): Buffer {
  const segment = Buffer.concat([rowHeader(SCHEMA.segment), Buffer.of(1), int32(ROW_HEADER_BYTES + 5)]);
  const records = results.flatMap((result) => {
    const row = writeResult(result);
    return [rowHeader(SCHEMA.record), int32(row.length), int32(crc32(row) | 0), row];
  });
  return Buffer.concat([segment, ...records]);
}

/** The rows of a stream of records, of which each says its length before it. */
function rowsOf(bytes: Buffer): Buffer[] {
  const rows: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const schema = bytes.readInt32LE(at + 1);
    if (schema === SCHEMA.segment) {
      at += Math.max(bytes.readInt32LE(at + ROW_HEADER_BYTES + 1), RECORD_HEADER_BYTES - 3);
      continue;
    }
    const length = bytes.readInt32LE(at + ROW_HEADER_BYTES);
    const from = at + RECORD_HEADER_BYTES;
    if (schema !== SCHEMA.record || length < 0 || from + length > bytes.length) throw new RangeError("Not a record.");
    rows.push(bytes.subarray(from, from + length));
    at = from + length;
  }
  return rows;
}

function readOperation(row: Buffer): JsonObject {
  if (row.readInt32LE(1) !== SCHEMA.operation) throw new RangeError("Not an operation.");
  const presence = row.readUInt8(ROW_HEADER_BYTES);
  const cursor = { row, at: ROW_HEADER_BYTES + 1 };
  const type = readInt32(cursor);
  readInt32(cursor);
  const operation: JsonObject = { operationType: OPERATIONS[type] ?? String(type) };
  for (const [bit, name] of VARIABLE) {
    if ((presence & bit) === 0) continue;
    const text = readBytes(cursor).toString();
    operation[name] = name === "resourceBody" ? (parseJson(text) ?? null) : text;
  }
  while (cursor.at < row.length) {
    const kind = readByte(cursor);
    const name = FIELDS[readVarint(cursor)];
    const value = readSparse(cursor, kind);
    if (name !== undefined) operation[name] = value;
  }
  return operation;
}

interface Cursor {
  readonly row: Buffer;
  at: number;
}

function readSparse(cursor: Cursor, kind: number): string | number | boolean {
  switch (kind) {
    case SPARSE.false:
    case SPARSE.true:
      return kind === SPARSE.true;
    case SPARSE.int32:
      return readInt32(cursor);
    case SPARSE.utf8:
      return readBytes(cursor).toString();
    default:
      throw new RangeError(`A field of the type ${kind} is not known.`);
  }
}

function readByte(cursor: Cursor): number {
  const byte = cursor.row.readUInt8(cursor.at);
  cursor.at += 1;
  return byte;
}

function readInt32(cursor: Cursor): number {
  const value = cursor.row.readInt32LE(cursor.at);
  cursor.at += 4;
  return value;
}

function readBytes(cursor: Cursor): Buffer {
  const length = readVarint(cursor);
  if (cursor.at + length > cursor.row.length) throw new RangeError("A field ends after its row.");
  const bytes = cursor.row.subarray(cursor.at, cursor.at + length);
  cursor.at += length;
  return bytes;
}

/** Seven bits a byte, the lowest first; the highest bit says that more follow. */
function readVarint(cursor: Cursor): number {
  let value = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = readByte(cursor);
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return value;
  }
}

function writeResult({ status, charge, etag, body }: ItemResult): Buffer {
  const fields = [etag, body].map((text) => (text === undefined ? undefined : Buffer.from(text)));
  const [hasEtag, hasBody] = fields.map((field) => field !== undefined);
  const presence = 0b11 | (hasEtag ? 0b100 : 0) | (hasBody ? 0b1000 : 0);
  const charged = Buffer.alloc(10);
  charged.writeUInt8(SPARSE.float64, 0);
  charged.writeUInt8(REQUEST_CHARGE, 1);
  charged.writeDoubleLE(charge, 2);
  return Buffer.concat([
    rowHeader(SCHEMA.result),
    Buffer.of(presence),
    int32(status),
    int32(0),
    ...fields.flatMap((field) => (field ? [varint(field.length), field] : [])),
    charged,
  ]);
}

function rowHeader(schema: number): Buffer {
  return Buffer.concat([Buffer.of(HYBRID_ROW), int32(schema)]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}
