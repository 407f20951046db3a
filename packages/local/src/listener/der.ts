// Writes DER, the encoding of certificates (ITU-T X.690), as far as a certificate of one's own needs it.

export function sequence(...items: readonly Buffer[]): Buffer {
  return element(0x30, ...items);
}

export function set(...items: readonly Buffer[]): Buffer {
  return element(0x31, ...items);
}

export function boolean(value: boolean): Buffer {
  return element(0x01, Buffer.from([value ? 0xff : 0]));
}

/** @param value big-endian; positive. */
export function integer(value: Buffer): Buffer {
  const isNegative = (value[0] ?? 0) >= 0x80;
  return element(0x02, isNegative ? Buffer.concat([Buffer.from([0]), value]) : value);
}

export function bitString(value: Buffer, unusedBits = 0): Buffer {
  return element(0x03, Buffer.from([unusedBits]), value);
}

export function octetString(...items: readonly Buffer[]): Buffer {
  return element(0x04, ...items);
}

/** @param text such as `2.5.4.3`. */
export function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split(".").map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...others.flatMap(base128)]));
}

export function utf8(text: string): Buffer {
  return element(0x0c, Buffer.from(text, "utf8"));
}

/** Up to the year 2049. */
export function utcTime(instant: number): Buffer {
  const text = new Date(instant).toISOString().replaceAll(/[-:T]/g, "").slice(2, 14);
  return element(0x17, Buffer.from(`${text}Z`, "ascii"));
}

/** A field that is told by its number. */
export function context(number: number, isConstructed: boolean, ...items: readonly Buffer[]): Buffer {
  return element(0x80 + (isConstructed ? 0x20 : 0) + number, ...items);
}

function element(tag: number, ...items: readonly Buffer[]): Buffer {
  const content = Buffer.concat(items);
  return Buffer.concat([Buffer.from([tag, ...length(content.length)]), content]);
}

function length(bytes: number): number[] {
  if (bytes < 0x80) return [bytes];
  return bytes < 0x100 ? [0x81, bytes] : [0x82, bytes >>> 8, bytes & 0xff];
}

function base128(value: number): number[] {
  const digits = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) digits.unshift(128 + (rest % 128));
  return digits;
}
