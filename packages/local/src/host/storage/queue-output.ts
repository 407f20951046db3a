// Storage queue outputs: what a function returns or sets is sent before its invocation counts as done.
import type { Binding, TypedData } from "../contract.ts";
import { StorageAccount } from "./storage-account.ts";
import { type MessageEncoding, StorageQueue } from "./storage-queue.ts";

/** An array is several messages, each a text or the JSON of its value. */
export async function sendToQueue({ connection, queueName }: Binding, data: TypedData, encoding: MessageEncoding) {
  const queue = new StorageQueue(new StorageAccount(String(connection)), String(queueName), encoding);
  for (const text of textsOf(data)) await queue.send(text);
}

function textsOf(data: TypedData): string[] {
  if ("bytes" in data) return [Buffer.from(data.bytes).toString()];
  if ("string" in data) return [data.string];
  if ("int" in data) return [String(data.int)];
  if ("double" in data) return [String(data.double)];
  if (!("json" in data)) throw new Error(`A function's ${Object.keys(data)[0]} cannot be sent to a storage queue.`);
  const value = JSON.parse(data.json) as unknown;
  return (Array.isArray(value) ? value : [value]).map((each) =>
    typeof each === "string" ? each : JSON.stringify(each),
  );
}
