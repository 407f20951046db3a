// Service Bus output bindings: what a function returns or sets is sent before its invocation counts as done.
import type { ServiceBusMessage } from "@azure/service-bus";
import type { Binding, TypedData } from "../contract.ts";
import type { ServiceBusClients } from "./service-bus-clients.ts";

/** The messages of one output: an array is several, each text or the JSON of its value. */
function outgoingMessages(data: TypedData): ServiceBusMessage[] {
  if ("bytes" in data) return [{ body: Buffer.from(data.bytes), contentType: "application/octet-stream" }];
  if ("string" in data) return [textMessage(data.string)];
  if ("json" in data) {
    const value: unknown = JSON.parse(data.json);
    return Array.isArray(value) ? value.map(valueMessage) : [valueMessage(value)];
  }
  if ("int" in data) return [textMessage(String(data.int))];
  if ("double" in data) return [textMessage(String(data.double))];
  throw new Error(`A function's ${Object.keys(data)[0]} cannot be sent to Service Bus.`);
}

function valueMessage(value: unknown): ServiceBusMessage {
  return typeof value === "string"
    ? textMessage(value)
    : { body: Buffer.from(JSON.stringify(value)), contentType: "application/json" };
}

/** As bytes: the SDK would send a string in JSON's quotes. */
function textMessage(text: string): ServiceBusMessage {
  return { body: Buffer.from(text), contentType: "text/plain" };
}

/** Sends what `data` holds to the queue of the binding, whose settings are filled in. */
export async function sendOutput(clients: ServiceBusClients, binding: Binding, data: TypedData): Promise<void> {
  const { connection, queueName } = binding;
  const messages = outgoingMessages(data);
  if (messages.length === 0) return;
  await clients.send(String(connection), String(queueName), messages);
}
