// The bytes that the real SDK sends in one session with the bus, and a replay of them with something changed.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** What the client sent in one go, and how many bytes it had got before. */
export interface Piece {
  readonly bytes: Buffer;
  readonly after: number;
}

/** How long a replay waits for what the broker had answered at this point. */
const PATIENCE_MS = 15;

/** Runs `session` against a proxy in front of the broker. */
export async function record(port: number, session: (proxyPort: number) => Promise<void>): Promise<Piece[]> {
  const pieces: { bytes: Buffer; after: number }[] = [];
  let answered = 0;
  const sockets: Socket[] = [];
  const proxy = createServer({ noDelay: true }, (client) => {
    const server = connect({ port, host: "127.0.0.1", noDelay: true });
    sockets.push(client, server);
    client.on("error", () => {});
    server.on("error", () => {});
    client.on("data", (bytes) => {
      const last = pieces.at(-1);
      if (last?.after === answered) last.bytes = Buffer.concat([last.bytes, bytes]);
      else pieces.push({ bytes, after: answered });
      server.write(bytes);
    });
    server.on("data", (bytes) => {
      answered += bytes.length;
      client.write(bytes);
    });
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  await session((proxy.address() as AddressInfo).port);
  for (const socket of sockets) socket.destroy();
  proxy.close();
  return pieces;
}

/** Says the pieces to the broker, each when the broker has said what it had said before; leaves without a word. */
export async function replay(port: number, pieces: readonly Piece[]): Promise<void> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  let answered = 0;
  let isOver = false;
  socket.on("data", (bytes) => {
    answered += bytes.length;
    socket.emit("answered");
  });
  socket.on("error", () => {});
  socket.once("close", () => {
    isOver = true;
    socket.emit("answered");
  });
  await Promise.race([once(socket, "connect"), sleep(1000)]);
  let isPatient = true;
  for (const { bytes, after } of pieces) {
    const until = performance.now() + PATIENCE_MS;
    while (isPatient && !isOver && answered < after) {
      const left = until - performance.now();
      if (left <= 0) isPatient = false;
      else await Promise.race([once(socket, "answered"), sleep(left)]);
    }
    if (isOver) break;
    socket.write(bytes);
  }
  if (!isOver) await Promise.race([once(socket, "close"), sleep(PATIENCE_MS / 3)]);
  socket.destroy();
}
