// The bytes of each request that the unmodified SDK sends, caught between it and the server.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { CosmosClient } from "@azure/cosmos";
import { EMULATOR_KEY } from "../resources/signature.ts";

const END_OF_HEAD = "\r\n\r\n";

/** Runs `work` with a client of its own and gives the requests that it sent, in order. */
export async function recordRequests(
  port: number,
  work: (client: CosmosClient) => Promise<unknown>,
): Promise<Buffer[]> {
  const sent: Buffer[][] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer((socket) => {
    const chunks: Buffer[] = [];
    sent.push(chunks);
    const onward = connect(port, "127.0.0.1");
    sockets.add(socket).add(onward);
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      onward.write(chunk);
    });
    onward.pipe(socket);
    for (const one of [socket, onward]) one.on("error", () => {});
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port: proxied } = proxy.address() as AddressInfo;
  const client = new CosmosClient({ endpoint: `http://127.0.0.1:${proxied}/`, key: EMULATOR_KEY });
  await work(client);
  client.dispose();
  for (const socket of sockets) socket.destroy();
  proxy.close();
  return sent.flatMap((chunks) => requestsIn(Buffer.concat(chunks)));
}

function requestsIn(bytes: Buffer): Buffer[] {
  const end = bytes.indexOf(END_OF_HEAD);
  if (end < 0) return [];
  const head = bytes.subarray(0, end).toString();
  const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
  const next = end + END_OF_HEAD.length + length;
  return [bytes.subarray(0, next), ...requestsIn(bytes.subarray(next))];
}
