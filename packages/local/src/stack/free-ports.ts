// Free ports that stay ours while a process is away and comes back.
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below what systems give to outgoing connections (Linux: from 32768, net.ipv4.ip_local_port_range): one of those could be
 * in use as somebody's own end when a server wants it back after a restart, or be connected to itself by a client that retries.
 */
const FIRST = 15_000;
const LAST = 31_000;

/** As many different ports as asked for, on which nobody listens now. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
