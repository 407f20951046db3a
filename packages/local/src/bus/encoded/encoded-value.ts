// Walks AMQP 1.0 encoded values without decoding them (OASIS AMQP 1.0, part 1, section 1.2: the constructor says the width).

const DESCRIBED = 0x00;
const SMALL_ULONG = 0x53;
const ULONG = 0x80;

export const NULL = 0x40;
export const LIST0 = 0x45;
const LIST8 = 0xc0;
const MAP8 = 0xc1;
const LIST32 = 0xd0;
const MAP32 = 0xd1;
const STRING8 = 0xa1;
const STRING32 = 0xb1;
const SYMBOL8 = 0xa3;
const SYMBOL32 = 0xb3;
const BINARY8 = 0xa0;
const BINARY32 = 0xb0;
const UINT0 = 0x43;
const SMALL_UINT = 0x52;
const UINT = 0x70;
const TIMESTAMP = 0x83;

/** The offset behind the value at `at`. Throws a RangeError when the bytes end inside. */
export function skipValue(bytes: Buffer, at: number): number {
  const code = bytes.readUInt8(at);
  if (code === DESCRIBED) return skipValue(bytes, skipValue(bytes, at + 1));
  switch (code >>> 4) {
    case 0x4:
      return at + 1;
    case 0x5:
      return within(bytes, at + 2);
    case 0x6:
      return within(bytes, at + 3);
    case 0x7:
      return within(bytes, at + 5);
    case 0x8:
      return within(bytes, at + 9);
    case 0x9:
      return within(bytes, at + 17);
    case 0xa:
    case 0xc:
    case 0xe:
      return within(bytes, at + 2 + bytes.readUInt8(at + 1));
    case 0xb:
    case 0xd:
    case 0xf:
      return within(bytes, at + 5 + bytes.readUInt32BE(at + 1));
    default:
      throw new RangeError(`0x${code.toString(16)} is no AMQP type`);
  }
}

function within(bytes: Buffer, end: number): number {
  if (end > bytes.length) throw new RangeError("The encoded value is cut off");
  return end;
}

export interface Section {
  /** 0x70 header, 0x71 and 0x72 annotations, 0x73 properties, 0x74 application properties, 0x75 data, and so on. */
  readonly code: number;
  readonly start: number;
  /** Where the value behind the descriptor begins. */
  readonly value: number;
  readonly end: number;
}

/** The described section at `at`, as messages are made of (part 3, section 3.2). */
export function readSection(bytes: Buffer, at: number): Section {
  if (bytes.readUInt8(at) !== DESCRIBED) throw new RangeError("A message section must be a described type");
  const descriptor = bytes.readUInt8(at + 1);
  const value = skipValue(bytes, at + 1);
  if (descriptor !== SMALL_ULONG && descriptor !== ULONG)
    throw new RangeError("Symbolic section names are not supported");
  return { code: bytes.readUInt8(value - 1), start: at, value, end: skipValue(bytes, value) };
}

export interface Items {
  readonly count: number;
  readonly first: number;
}

/** Where the items of the list or map at `at` begin, and how many there are (a map counts keys and values). */
export function readItems(bytes: Buffer, at: number): Items {
  const code = bytes.readUInt8(at);
  if (code === LIST0 || code === NULL) return { count: 0, first: at + 1 };
  if (code === LIST8 || code === MAP8) return { count: bytes.readUInt8(at + 2), first: at + 3 };
  if (code === LIST32 || code === MAP32) return { count: bytes.readUInt32BE(at + 5), first: at + 9 };
  throw new RangeError("Expected a list or map");
}

/** The bytes of a string, symbol or binary; `undefined` for another type. */
export function readVariable(bytes: Buffer, at: number): Buffer | undefined {
  const code = bytes.readUInt8(at);
  if (code === STRING8 || code === SYMBOL8 || code === BINARY8) {
    return bytes.subarray(at + 2, at + 2 + bytes.readUInt8(at + 1));
  }
  if (code === STRING32 || code === SYMBOL32 || code === BINARY32) {
    return bytes.subarray(at + 5, at + 5 + bytes.readUInt32BE(at + 1));
  }
  return undefined;
}

export function readUint(bytes: Buffer, at: number): number | undefined {
  const code = bytes.readUInt8(at);
  if (code === UINT0) return 0;
  if (code === SMALL_UINT) return bytes.readUInt8(at + 1);
  return code === UINT ? bytes.readUInt32BE(at + 1) : undefined;
}

/** @returns milliseconds since 1970. */
export function readTimestamp(bytes: Buffer, at: number): number | undefined {
  return bytes.readUInt8(at) === TIMESTAMP ? Number(bytes.readBigInt64BE(at + 1)) : undefined;
}
