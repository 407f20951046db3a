// Cuts a client's bytes into frames and checks each, so that rhea sees only whole frames that it can read without harm.
import { checkComposite } from "../encoded/composites.ts";
import { checkValue } from "../encoded/encoded-check.ts";

/** What the broker announces, and holds a client to. */
export const MAX_FRAME_BYTES = 65_536;
export const MAX_CHANNEL = 4_999;

const PROTOCOL_HEADER_BYTES = 8;
const PROTOCOL = 0x414d_5150;
const FRAME_HEADER_BYTES = 8;
const AMQP_FRAME = 0;
const SASL_FRAME = 1;
const NOTHING = Buffer.alloc(0);

/** A client's violation of the protocol; `condition` is what AMQP calls it. */
export class ProtocolFault extends Error {
  readonly condition: string;

  constructor(condition: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.condition = condition;
  }
}

export class FrameReader {
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** How many bytes have to be there before anything can be read. */
  #wanted = PROTOCOL_HEADER_BYTES;
  #protocolHeaders = 0;
  #lastType: number | undefined;
  #isHeld = false;
  #fault: ProtocolFault | undefined;

  /** What is wrong behind the frames that were handed out. */
  get fault(): ProtocolFault | undefined {
    return this.#fault;
  }

  /** Bytes are held back that `take` hands out when it is called again in a later turn. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** The whole frames that `chunk` completes, up to the first that is wrong. */
  take(chunk: Buffer): Buffer {
    this.#pendingBytes += chunk.length;
    if (this.#pendingBytes < this.#wanted) {
      this.#pending.push(chunk);
      return NOTHING;
    }
    const bytes = this.#pending.length === 0 ? chunk : Buffer.concat([...this.#pending, chunk]);
    const end = this.#read(bytes);
    const rest = bytes.subarray(end);
    this.#pending = rest.length > 0 ? [rest] : [];
    this.#pendingBytes = rest.length;
    return bytes.subarray(0, end);
  }

  /** @returns where the first frame begins that is not whole or is held back. */
  #read(bytes: Buffer): number {
    let at = 0;
    this.#isHeld = false;
    this.#wanted = FRAME_HEADER_BYTES;
    try {
      while (bytes.length - at >= FRAME_HEADER_BYTES) {
        const end = this.#readFrame(bytes, at);
        if (end === at) break;
        at = end;
      }
    } catch (cause) {
      if (!(cause instanceof ProtocolFault)) throw cause;
      this.#fault = cause;
    }
    return at;
  }

  /** @returns where the frame at `at` ends, or `at` if it is not whole or held back. */
  #readFrame(bytes: Buffer, at: number): number {
    const size = bytes.readUInt32BE(at);
    if (size === PROTOCOL) {
      // rhea ends SASL in a later turn and would take a header that comes before for a frame.
      this.#isHeld = this.#lastType === SASL_FRAME && at > 0;
      if (this.#isHeld) return at;
      this.#countProtocolHeader();
      return at + PROTOCOL_HEADER_BYTES;
    }
    if (this.#protocolHeaders === 0) throw framingError("The protocol header is missing");
    if (size < FRAME_HEADER_BYTES || size > MAX_FRAME_BYTES) {
      throw framingError(`A frame of ${size} bytes is not between ${FRAME_HEADER_BYTES} and ${MAX_FRAME_BYTES}`);
    }
    if (bytes.length - at < size) {
      this.#wanted = size;
      return at;
    }
    this.#lastType = checkFrame(bytes.subarray(at, at + size));
    return at + size;
  }

  /** One before SASL and one behind it, or one alone. */
  #countProtocolHeader(): void {
    this.#protocolHeaders += 1;
    const isExpected = this.#protocolHeaders === 1 || (this.#protocolHeaders === 2 && this.#lastType === SASL_FRAME);
    if (!isExpected) throw framingError("A protocol header is where a frame should be");
  }
}

/** @returns the frame's type. */
function checkFrame(frame: Buffer): number {
  const start = frame.readUInt8(4) * 4;
  const type = frame.readUInt8(5);
  if (start < FRAME_HEADER_BYTES || start > frame.length) throw framingError("A frame has a wrong data offset");
  if (type !== AMQP_FRAME && type !== SASL_FRAME) throw framingError(`${type} is no frame type`);
  if (type === AMQP_FRAME && frame.readUInt16BE(6) > MAX_CHANNEL) {
    throw framingError(`The channel ${frame.readUInt16BE(6)} is above ${MAX_CHANNEL}`);
  }
  // An empty frame says that the client lives.
  if (start === frame.length) return type;
  try {
    checkValue(frame, start);
    checkComposite(frame, start);
    return type;
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new ProtocolFault("amqp:decode-error", cause.message, cause);
  }
}

function framingError(message: string): ProtocolFault {
  return new ProtocolFault("amqp:connection:framing-error", message);
}
