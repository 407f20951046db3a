// Buffer for the simulator: what the core does with it on the way of an order.

type Encoding = "utf8" | "hex" | "base64" | "base64url";

export class Buffer extends Uint8Array {
  static override from(value: unknown, encoding: unknown = "utf8"): Buffer {
    if (typeof value !== "string") return copyOf(value as Uint8Array);
    return copyOf(bytesOf(value, encoding as Encoding));
  }

  static alloc(length: number): Buffer {
    return new Buffer(length);
  }

  static byteLength(text: string): number {
    return new TextEncoder().encode(text).length;
  }

  static isBuffer(value: unknown): value is Buffer {
    return value instanceof Buffer;
  }

  static concat(parts: readonly Uint8Array[]): Buffer {
    const whole = new Buffer(parts.reduce((length, part) => length + part.length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }

  override toString(encoding: Encoding = "utf8"): string {
    if (encoding === "utf8") return new TextDecoder().decode(this);
    if (encoding === "hex") return Array.from(this, (byte) => byte.toString(16).padStart(2, "0")).join("");
    const text = btoa(String.fromCharCode(...this));
    return encoding === "base64" ? text : text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }
}

function copyOf(bytes: ArrayLike<number>): Buffer {
  const copy = new Buffer(bytes.length);
  copy.set(bytes);
  return copy;
}

function bytesOf(text: string, encoding: Encoding): Uint8Array {
  if (encoding === "utf8") return new TextEncoder().encode(text);
  if (encoding === "hex") return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return Uint8Array.from(atob(inBase64(text)), (letter) => letter.charCodeAt(0));
}

/** As Node reads it: what is no letter of base64 is left out, and so is a last letter that makes no byte. */
function inBase64(text: string): string {
  const letters = text
    .replace(/=[\s\S]*/, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replaceAll(/[^A-Za-z0-9+/]/g, "");
  return letters.length % 4 === 1 ? letters.slice(0, -1) : letters;
}
