// node:crypto for the simulator: SHA-256 (FIPS 180-4), which the browser has only as a promise.
import { Buffer } from "./buffer.ts";

const ROUNDS = 64;
const BLOCK_BYTES = 64;
const primes = firstPrimes(ROUNDS);
const fraction = (value: number) => Math.floor((value - Math.floor(value)) * 2 ** 32) >>> 0;
const K = primes.map((prime) => fraction(Math.cbrt(prime)));
const START = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));

export function createHash(_name: "sha256") {
  const parts: Buffer[] = [];
  const hash = {
    update(part: string | Uint8Array) {
      parts.push(Buffer.from(part));
      return hash;
    },
    digest(encoding?: "hex") {
      const bytes = sha256(Buffer.concat(parts));
      return encoding ? bytes.toString(encoding) : bytes;
    },
  };
  return hash;
}

export function timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

export const randomUUID = (): string => globalThis.crypto.randomUUID();

function sha256(message: Uint8Array): Buffer {
  const length = Math.ceil((message.length + 9) / BLOCK_BYTES) * BLOCK_BYTES;
  const padded = new Uint8Array(length);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(length - 4, message.length * 8);
  const state = [...START];
  for (let block = 0; block < length; block += BLOCK_BYTES) {
    const words = Array.from({ length: 16 }, (_, at) => view.getUint32(block + at * 4));
    const mixed = compress(state, words);
    for (const [at, word] of mixed.entries()) state[at] = ((state[at] ?? 0) + word) >>> 0;
  }
  const digest = new Uint8Array(32);
  for (const [at, word] of state.entries()) new DataView(digest.buffer).setUint32(at * 4, word);
  return Buffer.from(digest);
}

function compress(state: readonly number[], words: number[]): number[] {
  const word = (at: number) => words[at] ?? 0;
  for (let at = 16; at < ROUNDS; at += 1) {
    const [early, late] = [word(at - 15), word(at - 2)];
    const first = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const second = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    words.push((word(at - 16) + first + word(at - 7) + second) >>> 0);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let at = 0; at < ROUNDS; at += 1) {
    const first = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + (K[at] ?? 0) + word(at);
    const second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) >>> 0, c, b, a, (first + second) >>> 0];
  }
  return [a, b, c, d, e, f, g, h];
}

const turned = (word: number, by: number) => (word >>> by) | (word << (32 - by));

function firstPrimes(count: number): number[] {
  const found: number[] = [];
  for (let next = 2; found.length < count; next += 1) if (found.every((prime) => next % prime !== 0)) found.push(next);
  return found;
}
