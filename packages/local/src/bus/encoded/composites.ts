// The lists with named fields that a client may send, as one table: frames, and two sections of messages (OASIS AMQP 1.0, parts 2, 3 and 5).
import { NULL, readItems, readVariable, skipValue } from "./encoded-value.ts";

const DESCRIBED = 0x00;

/** The type codes that a field of this type may have. */
const TYPES = {
  string: [0xa1, 0xb1],
  symbol: [0xa3, 0xb3],
  symbols: [0xa3, 0xb3, 0xe0, 0xf0],
  binary: [0xa0, 0xb0],
  boolean: [0x41, 0x42, 0x56],
  id: [0xa1, 0xb1, 0x44, 0x53, 0x80, 0x98, 0xa0, 0xb0],
  timestamp: [0x83],
  ubyte: [0x50],
  ushort: [0x60],
  uint: [0x43, 0x52, 0x70],
  ulong: [0x44, 0x53, 0x80],
  map: [0xc1, 0xd1],
  composite: [DESCRIBED],
} as const;

/** `name:type`, with `!` where the field is mandatory. */
const FIELDS: Readonly<Record<number, readonly [name: string, fields: string]>> = {
  16: [
    "open",
    "container-id:string! hostname:string max-frame-size:uint channel-max:ushort idle-time-out:uint outgoing-locales:symbols incoming-locales:symbols offered-capabilities:symbols desired-capabilities:symbols properties:map",
  ],
  17: [
    "begin",
    "remote-channel:ushort next-outgoing-id:uint! incoming-window:uint! outgoing-window:uint! handle-max:uint offered-capabilities:symbols desired-capabilities:symbols properties:map",
  ],
  18: [
    "attach",
    "name:string! handle:uint! role:boolean! snd-settle-mode:ubyte rcv-settle-mode:ubyte source:composite target:composite unsettled:map incomplete-unsettled:boolean initial-delivery-count:uint max-message-size:ulong offered-capabilities:symbols desired-capabilities:symbols properties:map",
  ],
  19: [
    "flow",
    "next-incoming-id:uint incoming-window:uint! next-outgoing-id:uint! outgoing-window:uint! handle:uint delivery-count:uint link-credit:uint available:uint drain:boolean echo:boolean properties:map",
  ],
  20: [
    "transfer",
    "handle:uint! delivery-id:uint delivery-tag:binary message-format:uint settled:boolean more:boolean rcv-settle-mode:ubyte state:composite resume:boolean aborted:boolean batchable:boolean",
  ],
  21: ["disposition", "role:boolean! first:uint! last:uint settled:boolean state:composite batchable:boolean"],
  22: ["detach", "handle:uint! closed:boolean error:composite"],
  23: ["end", "error:composite"],
  24: ["close", "error:composite"],
  64: ["sasl-mechanisms", "sasl-server-mechanisms:symbols!"],
  65: ["sasl-init", "mechanism:symbol! initial-response:binary hostname:string"],
  66: ["sasl-challenge", "challenge:binary!"],
  67: ["sasl-response", "response:binary!"],
  68: ["sasl-outcome", "code:ubyte! additional-data:binary"],
  112: ["header", "durable:boolean priority:ubyte ttl:uint first-acquirer:boolean delivery-count:uint"],
  115: [
    "properties",
    "message-id:id user-id:binary to:string subject:string reply-to:string correlation-id:id content-type:symbol content-encoding:symbol absolute-expiry-time:timestamp creation-time:timestamp group-id:string group-sequence:uint reply-to-group-id:string",
  ],
};

interface Field {
  readonly name: string;
  readonly codes: ReadonlySet<number>;
  readonly isMandatory: boolean;
}

interface Composite {
  readonly name: string;
  readonly fields: readonly Field[];
}

const BY_CODE = new Map<number, Composite>();
const BY_NAME = new Map<string, Composite>();
for (const [code, [name, text]] of Object.entries(FIELDS)) {
  const composite = { name, fields: text.split(" ").map(readField) };
  BY_CODE.set(Number(code), composite);
  BY_NAME.set(`amqp:${name}:list`, composite);
}

function readField(text: string): Field {
  const [, name = "", type = "", mandatory] = /^(.+):([a-z]+)(!?)$/.exec(text) ?? [];
  const codes = TYPES[type as keyof typeof TYPES];
  return { name, codes: new Set<number>(codes), isMandatory: mandatory === "!" };
}

/** Checks the types of the fields of the well-formed list at `at`. Throws a RangeError that names what is wrong. */
export function checkComposite(bytes: Buffer, at: number): void {
  if (bytes.readUInt8(at) !== DESCRIBED) throw new RangeError("A described list is expected");
  const composite = readDescriptor(bytes, at + 1);
  const list = skipValue(bytes, at + 1);
  const items = readItems(bytes, list);
  let field = items.first;
  for (const [index, { name, codes, isMandatory }] of composite.fields.entries()) {
    const code = index < items.count ? bytes.readUInt8(field) : NULL;
    if (code === NULL ? isMandatory : !codes.has(code)) {
      throw new RangeError(
        `The field ${name} of ${composite.name} ${code === NULL ? "is missing" : "has a wrong type"}`,
      );
    }
    if (index < items.count) field = skipValue(bytes, field);
  }
}

function readDescriptor(bytes: Buffer, at: number): Composite {
  const code = bytes.readUInt8(at);
  const found =
    code === 0x53
      ? BY_CODE.get(bytes.readUInt8(at + 1))
      : code === 0x80
        ? BY_CODE.get(Number(bytes.readBigUInt64BE(at + 1)))
        : BY_NAME.get(readVariable(bytes, at)?.toString("ascii") ?? "");
  if (!found) throw new RangeError("The descriptor is unknown");
  return found;
}
