// Checks that an encoded AMQP value is whole before anything else reads it: types, sizes, counts and depth (OASIS AMQP 1.0, part 1, section 1.2).

const DESCRIBED = 0x00;
/** An array's elements may have no bytes of their own, so its count is the only limit that a decoder has. */
const MAX_EMPTY_ELEMENTS = 65_536;
/** rhea reads values by recursion. */
const MAX_DEPTH = 64;

/** How a value's bytes follow its type code. */
type Shape =
  | { readonly kind: "fixed"; readonly width: number }
  | { readonly kind: "variable" | "list" | "map" | "array"; readonly width: 1 | 4 };

const SHAPES: readonly (Shape | undefined)[] = shapes({
  fixed0: [0x40, 0x41, 0x42, 0x43, 0x44, 0x45],
  fixed1: [0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56],
  fixed2: [0x60, 0x61],
  fixed4: [0x70, 0x71, 0x72, 0x73, 0x74],
  fixed8: [0x80, 0x81, 0x82, 0x83, 0x84],
  fixed16: [0x94, 0x98],
  variable1: [0xa0, 0xa1, 0xa3],
  variable4: [0xb0, 0xb1, 0xb3],
  list1: [0xc0],
  list4: [0xd0],
  map1: [0xc1],
  map4: [0xd1],
  array1: [0xe0],
  array4: [0xf0],
});

function shapes(codes: Readonly<Record<string, readonly number[]>>): (Shape | undefined)[] {
  const table: (Shape | undefined)[] = Array(256).fill(undefined);
  for (const [name, list] of Object.entries(codes)) {
    const [, kind, width] = /^([a-z]+)(\d+)$/.exec(name) ?? [];
    for (const code of list) table[code] = { kind, width: Number(width) } as Shape;
  }
  return table;
}

/** The offset behind the value at `at`, which lies whole before `limit`. Throws a RangeError if it is not well formed. */
export function checkValue(bytes: Buffer, at: number, limit = bytes.length, depth = 0): number {
  let start = at;
  let level = depth;
  while (byteAt(bytes, start, limit) === DESCRIBED) {
    // A descriptor that is itself described is as deep as one that holds it.
    level += 1;
    if (level > MAX_DEPTH) throw new RangeError("The encoded value is nested too deeply");
    start = checkValue(bytes, start + 1, limit, level);
  }
  return checkContent(bytes, bytes.readUInt8(start), start + 1, limit, level);
}

function checkContent(bytes: Buffer, code: number, at: number, limit: number, depth: number): number {
  const shape = SHAPES[code];
  if (!shape) throw new RangeError(`0x${code.toString(16)} is no AMQP type`);
  if (shape.kind === "fixed") return within(at + shape.width, limit);
  if (at + shape.width > limit) throw cutOff();
  const size = readCount(bytes, at, shape.width);
  const start = at + shape.width;
  const end = within(start + size, limit);
  if (shape.kind !== "variable") {
    if (depth >= MAX_DEPTH) throw new RangeError("The encoded value is nested too deeply");
    if (shape.kind === "array") checkArray(bytes, start, end, shape.width, depth + 1);
    else checkCompound(bytes, start, end, shape, depth + 1);
  }
  return end;
}

function checkCompound(bytes: Buffer, start: number, end: number, { kind, width }: Shape, depth: number): void {
  if (start + width > end) throw cutOff();
  const count = readCount(bytes, start, width);
  if (kind === "map" && count % 2 !== 0) throw new RangeError("A map has a key without a value");
  let at = start + width;
  for (let item = 0; item < count; item += 1) at = checkValue(bytes, at, end, depth);
  if (at !== end) throw new RangeError("A list or map is longer than what it holds");
}

function checkArray(bytes: Buffer, start: number, end: number, width: number, depth: number): void {
  if (start + width > end) throw cutOff();
  const count = readCount(bytes, start, width);
  let at = start + width;
  while (byteAt(bytes, at, end) === DESCRIBED) at = checkValue(bytes, at + 1, end, depth);
  const code = bytes.readUInt8(at);
  at += 1;
  const isEmpty = SHAPES[code]?.kind === "fixed" && SHAPES[code].width === 0;
  if (isEmpty && count > MAX_EMPTY_ELEMENTS) throw new RangeError("An array of empty elements is too long");
  for (let element = 0; element < count; element += 1) at = checkContent(bytes, code, at, end, depth);
  if (at !== end) throw new RangeError("An array is longer than what it holds");
}

function readCount(bytes: Buffer, at: number, width: number): number {
  return width === 1 ? bytes.readUInt8(at) : bytes.readUInt32BE(at);
}

function byteAt(bytes: Buffer, at: number, limit: number): number {
  if (at >= limit) throw cutOff();
  return bytes.readUInt8(at);
}

function within(end: number, limit: number): number {
  if (end > limit) throw cutOff();
  return end;
}

function cutOff(): RangeError {
  return new RangeError("The encoded value is cut off");
}
