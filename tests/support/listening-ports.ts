// The HTTP servers of a local stack, found by their listening ports, and what they answer to a page of another site.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { connect } from "node:net";

/** The ports are found by proc(5). */
export const canListPorts = process.platform === "linux";

/** Those of this process and of all that it started. */
export function listeningPorts(): ReadonlySet<number> {
  const own = processTree(process.pid).flatMap(socketsOf);
  const sockets = new Set(own);
  const ports = ["tcp", "tcp6"].flatMap((file) =>
    readFileSync(`/proc/net/${file}`, "utf8")
      .split("\n")
      .slice(1)
      .flatMap((line) => {
        const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
        const isListening = state === "0A" && sockets.has(inode);
        return isListening ? [Number.parseInt(local.slice(local.lastIndexOf(":") + 1), 16)] : [];
      }),
  );
  return new Set(ports);
}

function processTree(root: number): number[] {
  const parents = readdirSync("/proc").flatMap((name): [number, number][] => {
    if (!/^\d+$/.test(name)) return [];
    const stat = readOr(() => readFileSync(`/proc/${name}/stat`, "utf8"), "");
    const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return [[Number(name), Number(parent)]];
  });
  const found = [root];
  for (const pid of found) found.push(...parents.flatMap(([child, parent]) => (parent === pid ? [child] : [])));
  return found;
}

function socketsOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readOr(() => readdirSync(folder), []).flatMap((fd) => {
    const link = readOr(() => readlinkSync(`${folder}/${fd}`), "");
    return /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? [];
  });
}

/** A process or a file may be gone by now. */
function readOr<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** The head of what the port answers; empty where it answers nothing that is HTTP. */
function answerOf(port: number, head: string, body = ""): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1");
    const end = () => {
      socket.destroy();
      resolve(text.startsWith("HTTP/") ? text : "");
    };
    socket.setTimeout(3000, end);
    socket.on("error", end).on("close", end);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (text.includes("\r\n\r\n")) end();
    });
    socket.write(`${head}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
  });
}

interface Answered {
  /** The ports that speak HTTP. */
  readonly http: readonly number[];
  /** What was taken of a foreign request, in words. */
  readonly faults: readonly string[];
}

/** Sends requests of another site, and under another name, to each port that speaks HTTP. */
export async function answersToForeign(ports: readonly number[]): Promise<Answered> {
  const http: number[] = [];
  const faults: string[] = [];
  for (const port of ports) {
    const here = `127.0.0.1:${port}`;
    const plain = await answerOf(port, `GET /nothing HTTP/1.1\r\nhost: ${here}`);
    if (plain === "") continue;
    http.push(port);
    // Azurite is Microsoft's, and takes nothing that is not signed with its key.
    const rejected = /^server: azurite/im.test(plain) ? /^HTTP\/1\.1 4\d\d / : /^HTTP\/1\.1 403 /;
    const simple = "content-type: text/plain";
    for (const [name, head] of [
      ["another site", `POST /$refuse HTTP/1.1\r\nhost: ${here}\r\norigin: https://evil.example\r\n${simple}`],
      ["no site", `POST /v1/traces HTTP/1.1\r\nhost: ${here}\r\norigin: null\r\n${simple}`],
      ["a rebound name", `POST /$faults HTTP/1.1\r\nhost: rebound.example:${port}\r\n${simple}`],
      ["a rebound name, reading", `GET /$counts HTTP/1.1\r\nhost: rebound.example:${port}`],
    ] as const) {
      const answer = await answerOf(port, head, head.startsWith("POST") ? "{}" : "");
      if (!rejected.test(answer)) faults.push(`${port}, ${name}: ${answer.split("\r\n")[0]}`);
    }
  }
  return { http, faults };
}
