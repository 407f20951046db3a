// Twilio outputs: what a function returns or sets is sent as a text message. (Functions documentation, "Twilio binding for Azure Functions";
// Twilio documentation, "Messages resource".)
import type { Binding, TypedData } from "../contract.ts";

interface Message {
  readonly to?: string;
  readonly from?: string;
  readonly body?: string;
}

/** Several where it is an array. What a message does not say, the binding does. */
export async function sendText(binding: Binding, data: TypedData): Promise<void> {
  const text = "json" in data ? data.json : "string" in data ? JSON.stringify({ body: data.string }) : undefined;
  if (text === undefined) throw new Error(`A function's ${Object.keys(data)[0]} cannot be sent as a text message.`);
  const given = JSON.parse(text) as Message | readonly Message[];
  for (const message of Array.isArray(given) ? given : [given]) await send(binding, message as Message);
}

async function send({ accountSid, authToken, apiUrl, ...usual }: Binding, message: Message): Promise<void> {
  const of = (name: keyof Message) => String(message[name] ?? usual[name] ?? "");
  const credentials = Buffer.from(`${accountSid}:${authToken}`).toString("base64");
  const response = await fetch(`${apiUrl}/2010-04-01/Accounts/${accountSid}/Messages.json`, {
    method: "POST",
    headers: { authorization: `Basic ${credentials}` },
    body: new URLSearchParams({ To: of("to"), From: of("from"), Body: of("body") }),
  });
  if (!response.ok) throw new Error(`Twilio answered ${response.status}: ${await response.text()}`);
}
