// Free ports that stay ours while a process is away and comes back.
import { once } from "node:events";
import { createServer, type Server } from "node:net";

/**
 * Below what systems give to outgoing connections (Linux: from 32768, net.ipv4.ip_local_port_range): one of those could be
 * in use as somebody's own end when a server wants it back after a restart, or be connected to itself by a client that retries.
 */
const FIRST = 15_000;
const BLOCKS = 160;
const BLOCK_SIZE = 100;

let block: Promise<number> | undefined;
let next = 0;

/**
 * As many different ports as asked for (at most 99), on which nobody listens now.
 *
 * No other process that chooses its ports here gets one of them while this process lives: it has a block of ports of its own.
 * A check alone would not do, for a server listens seconds after its port was chosen, and is away while it restarts.
 * The block's ports are given in turn, so that one comes again after 99 others.
 *
 * @throws {Error} if every block is another process's, or too few of this one's ports are free.
 */
export async function freePorts(count: number): Promise<number[]> {
  block ??= ownBlock();
  const first = await block;
  const found: number[] = [];
  for (let tries = 1; tries < BLOCK_SIZE && found.length < count; tries++) {
    const port = first + 1 + (next++ % (BLOCK_SIZE - 1));
    if (await isFree(port)) found.push(port);
  }
  if (found.length < count)
    throw new Error(`${count} free ports are wanted from ${first + 1} on, ${found.length} are there`);
  return found;
}

/** A block is a process's own while it listens on the block's first port: the system gives it back when the process ends. */
async function ownBlock(): Promise<number> {
  const start = Math.floor(Math.random() * BLOCKS);
  for (let index = 0; index < BLOCKS; index++) {
    const first = FIRST + ((start + index) % BLOCKS) * BLOCK_SIZE;
    const guard = await listener(first);
    if (guard !== undefined) {
      guard.unref();
      return first;
    }
  }
  throw new Error(
    `no free block of ports between ${FIRST} and ${FIRST + BLOCKS * BLOCK_SIZE}: end processes that hold them`,
  );
}

async function isFree(port: number): Promise<boolean> {
  const server = await listener(port);
  if (server === undefined) return false;
  server.close();
  await once(server, "close");
  return true;
}

async function listener(port: number): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch {
    return undefined;
  }
  return server;
}
