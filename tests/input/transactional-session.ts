// A valid session with the bus in which messages are sent and settled in transactions, which the JavaScript SDK cannot.

import { types } from "@scheduler-agent-supervisor/local/bus/rhea-internals";
import { DISPOSITION, frame, RawClient, TRANSFER } from "@scheduler-agent-supervisor/local/bus/tests/raw-client";
import rhea, { type Typed } from "rhea";

const COORDINATOR = 7;

/** @returns the id that the bus gave to the transaction. */
export async function transactionalSession(port: number): Promise<Buffer> {
  const client = await RawClient.connect(port);
  await client.attachTo(described(0x30, []), "coordinator", COORDINATOR);
  client.transfer(0, value(described(0x31, [])), [], COORDINATOR);
  const [id] = (await client.next(DISPOSITION)).fields[4] as [Buffer];
  const state = described(0x34, [id]);
  await client.attachSender("fuzzed");
  client.transfer(1, rhea.message.encode({ body: "outside", message_id: "1" }));
  await client.next(DISPOSITION);
  client.transfer(2, rhea.message.encode({ body: "inside", message_id: "2" }), [null, false, null, state]);
  await client.next(DISPOSITION);
  client.attachReceiver("fuzzed");
  await client.next(TRANSFER);
  const first = types.wrap_uint(0);
  client.send(frame(DISPOSITION, [true, first, first, false, described(0x34, [id, described(0x24, [])])]));
  await client.next(DISPOSITION);
  client.transfer(3, value(described(0x32, [id, false])), [], COORDINATOR);
  await client.next(DISPOSITION);
  client.socket.destroy();
  return id;
}

function described(code: number, fields: readonly unknown[]): Typed {
  return types.described(types.wrap_ulong(code), types.wrap_list(fields));
}

function value(content: Typed): Buffer {
  const writer = new types.Writer();
  writer.write(content);
  return Buffer.concat([Buffer.from([0x00, 0x53, 0x77]), writer.toBuffer()]);
}
