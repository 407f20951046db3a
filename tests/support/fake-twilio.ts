// Twilio's API for text messages, which keeps them.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface FakeTwilio {
  readonly url: string;
  readonly messages: readonly Readonly<Record<string, string | undefined>>[];
  close(): Promise<void>;
}

export async function startFakeTwilio(): Promise<FakeTwilio> {
  const messages: Record<string, string | undefined>[] = [];
  const server = createServer(async (request, response) => {
    const account = /^\/2010-04-01\/Accounts\/([^/]+)\/Messages\.json$/.exec(request.url ?? "")?.[1];
    const message = Object.fromEntries(new URLSearchParams(await text(request)));
    const isWhole = account !== undefined && message["To"] !== "" && message["Body"] !== "";
    if (isWhole) messages.push({ account, authorization: request.headers.authorization, ...message });
    response.writeHead(isWhole ? 201 : 400, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    messages,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
