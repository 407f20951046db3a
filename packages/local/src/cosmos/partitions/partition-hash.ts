// The effective partition key of a document: the hash that clients compute too, to ask for a part of a container.
// Sources: the SDKs' own computation (Azure/azure-cosmos-dotnet-v3 and azure-sdk-for-js), MurmurHash3 by Austin Appleby.
import { isObject } from "../../json.ts";
import type { Container } from "../resources/container.ts";

/** The types of a value that is hashed, as Cosmos DB numbers them. */
const MARK = { undefined: 0, null: 1, false: 2, true: 3, number: 5, string: 8 } as const;
const LONGEST_V1_TEXT = 100;
const ALL_64 = (1n << 64n) - 1n;
const HIGHEST_BIT = 1n << 63n;

type HashVersion = "v1" | "v2" | "multi";

/** The SQL functions of `defineHashFunctions`: their argument is the canonical text of a key. */
export const HASH_FUNCTIONS: Readonly<Record<string, (pk: string) => string>> = {
  key_hash_v1: (pk) => effectiveKey(JSON.parse(pk), "v1"),
  key_hash_v2: (pk) => effectiveKey(JSON.parse(pk), "v2"),
  key_hash_multi: (pk) => effectiveKey(JSON.parse(pk), "multi"),
};

export function hashFunctionOf(container: Container): string {
  const key = container.definition["partitionKey"];
  if (!isObject(key)) return "key_hash_v1";
  if (key["kind"] === "MultiHash") return "key_hash_multi";
  return key["version"] === 2 ? "key_hash_v2" : "key_hash_v1";
}

/** From the first effective partition key to below the second. */
export interface HashRange {
  /** The SQL function that gives the effective partition key of a stored key. */
  readonly of: string;
  readonly min: string;
  readonly max: string;
}

/** How finely the hashes can be divided: the values of version 1. */
export const HASH_SPACE = 2 ** 32;

/** Where a part of the hashes begins or ends, as an effective partition key. */
export function hashBound(at: number, hashFunction: string): string {
  if (at === 0) return "";
  if (at === HASH_SPACE) return "FF";
  if (hashFunction === "key_hash_v1")
    return orderedNumber(at - 1)
      .toString("hex")
      .toUpperCase();
  return ((BigInt(at) << 94n) - 1n).toString(16).toUpperCase().padStart(32, "0");
}

/** Upper case hexadecimal, to be compared as text. */
export function effectiveKey(values: readonly unknown[], version: HashVersion): string {
  switch (version) {
    case "multi":
      return values.map((value) => hash2([value])).join("");
    case "v2":
      return hash2(values);
    case "v1":
      return hash1(values[0]);
    default:
      return version satisfies never;
  }
}

/** Version 2: 128 bits, byte by byte from the last, with the two highest bits left out. */
function hash2(values: readonly unknown[]): string {
  const reversed = murmur128(Buffer.concat(values.map((value) => bytesOf(value, 0xff)))).reverse();
  reversed[0] = (reversed[0] ?? 0) & 0x3f;
  return reversed.toString("hex").toUpperCase();
}

/** Version 1: 32 bits as a number, then the start of the value itself. */
function hash1(value: unknown): string {
  const short = typeof value === "string" ? value.slice(0, LONGEST_V1_TEXT) : value;
  const hash = orderedNumber(murmur32(bytesOf(short, 0x00)));
  return Buffer.concat([hash, orderedValue(short)])
    .toString("hex")
    .toUpperCase();
}

function markOf(value: unknown): number {
  if (value === null) return MARK.null;
  if (typeof value === "boolean") return value ? MARK.true : MARK.false;
  if (typeof value === "number") return MARK.number;
  return typeof value === "string" ? MARK.string : MARK.undefined;
}

function bytesOf(value: unknown, endOfText: number): Buffer {
  const mark = markOf(value);
  if (typeof value === "string") return Buffer.concat([Buffer.of(mark), Buffer.from(value), Buffer.of(endOfText)]);
  if (typeof value !== "number") return Buffer.of(mark);
  const bytes = Buffer.alloc(9, mark);
  bytes.writeDoubleLE(value, 1);
  return bytes;
}

/** A value in bytes that sort as the value does, each byte of a text one higher so that its end sorts first. */
function orderedValue(value: unknown): Buffer {
  if (typeof value === "number") return orderedNumber(value);
  if (typeof value !== "string") return Buffer.of(markOf(value));
  const bytes = Buffer.from(value);
  const isShort = value.length <= LONGEST_V1_TEXT;
  const raised = bytes
    .subarray(0, isShort ? bytes.length : LONGEST_V1_TEXT + 1)
    .map((byte) => Math.min(byte + 1, 0xff));
  return Buffer.concat([Buffer.of(MARK.string), raised, isShort ? Buffer.of(0) : Buffer.alloc(0)]);
}

/** The first byte whole, then seven bits a byte, of which the lowest says whether more follow. */
function orderedNumber(value: number): Buffer {
  const bits = Buffer.alloc(8);
  bits.writeDoubleBE(value);
  const raw = bits.readBigUInt64BE();
  let payload = raw < HIGHEST_BIT ? raw ^ HIGHEST_BIT : (~raw + 1n) & ALL_64;
  const bytes = [MARK.number, Number(payload >> 56n)];
  payload = (payload << 8n) & ALL_64;
  do {
    bytes.push(Number(payload >> 56n) | 1);
    payload = (payload << 7n) & ALL_64;
  } while (payload !== 0n);
  bytes.push((bytes.pop() ?? 0) & 0xfe);
  return Buffer.from(bytes);
}

/** MurmurHash3_x86_32 with seed 0. */
function murmur32(data: Buffer): number {
  const mixed = (k: number) => {
    const multiplied = Math.imul(k, 0xcc9e2d51);
    return Math.imul((multiplied << 15) | (multiplied >>> 17), 0x1b873593);
  };
  const blocks = data.length & ~3;
  let hash = 0;
  for (let at = 0; at < blocks; at += 4) {
    hash ^= mixed(data.readInt32LE(at));
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let at = data.length - 1; at >= blocks; at -= 1) tail = (tail << 8) | (data[at] ?? 0);
  hash ^= mixed(tail) ^ data.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const C1 = 0x87c37b91114253d5n;
const C2 = 0x4cf5ad432745937fn;
const times = (a: bigint, b: bigint) => (a * b) & ALL_64;
const plus = (a: bigint, b: bigint) => (a + b) & ALL_64;
const rotated = (a: bigint, by: bigint) => ((a << by) | (a >> (64n - by))) & ALL_64;

/** MurmurHash3_x64_128 with seed 0; its two halves little-endian. */
function murmur128(data: Buffer): Buffer {
  const blocks = data.length & ~15;
  let [h1, h2] = [0n, 0n];
  for (let at = 0; at < blocks; at += 16) {
    h1 ^= times(rotated(times(data.readBigUInt64LE(at), C1), 31n), C2);
    h1 = plus(times(plus(rotated(h1, 27n), h2), 5n), 0x52dce729n);
    h2 ^= times(rotated(times(data.readBigUInt64LE(at + 8), C2), 33n), C1);
    h2 = plus(times(plus(rotated(h2, 31n), h1), 5n), 0x38495ab5n);
  }
  const tail = Buffer.alloc(16);
  data.copy(tail, 0, blocks);
  h2 ^= times(rotated(times(tail.readBigUInt64LE(8), C2), 33n), C1);
  h1 ^= times(rotated(times(tail.readBigUInt64LE(0), C1), 31n), C2);
  const length = BigInt(data.length);
  [h1, h2] = [h1 ^ length, h2 ^ length];
  h1 = plus(h1, h2);
  h2 = plus(h2, h1);
  [h1, h2] = [finished(h1), finished(h2)];
  h1 = plus(h1, h2);
  h2 = plus(h2, h1);
  const hash = Buffer.alloc(16);
  hash.writeBigUInt64LE(h1, 0);
  hash.writeBigUInt64LE(h2, 8);
  return hash;
}

function finished(given: bigint): bigint {
  let k = times(given ^ (given >> 33n), 0xff51afd7ed558ccdn);
  k = times(k ^ (k >> 33n), 0xc4ceb9fe1a85ec53n);
  return k ^ (k >> 33n);
}
