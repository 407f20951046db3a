// Stands before one or several hosts, as a gateway does: passes on what comes, in turn, or answers in their place.
import { once } from "node:events";
import { createServer, type OutgoingHttpHeaders, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Behaviour =
  | { readonly kind: "passes" }
  /** Nothing is answered. */
  | { readonly kind: "hangs" }
  /** These paths are answered by 500. */
  | { readonly kind: "fails"; readonly paths: readonly RegExp[] }
  /** One of the hosts answers every request by 500. */
  | { readonly kind: "oneFails"; readonly target: string }
  /** This path, below `/api/`, is answered so. */
  | { readonly kind: "answers"; readonly path: string; readonly json: object }
  /** What was answered before is given again, with its headers. */
  | { readonly kind: "repeats" };

export interface Front extends AsyncDisposable {
  readonly url: string;
  behave(behaviour: Behaviour): void;
}

interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

/** @param targets a request goes to the next of them */
export async function startFront(targets: readonly string[]): Promise<Front> {
  let behaviour: Behaviour = { kind: "passes" };
  let turn = 0;
  const answers = new Map<string, Answer>();
  const give = (response: ServerResponse, { status, headers, body }: Answer) =>
    response.writeHead(status, headers).end(body);
  const server = createServer(async (incoming, outgoing) => {
    const { method = "GET", url = "/" } = incoming;
    if (behaviour.kind === "hangs") return;
    if (behaviour.kind === "fails" && behaviour.paths.some((path) => path.test(url))) {
      give(outgoing, { status: 500, headers: {}, body: Buffer.from("") });
      return;
    }
    if (behaviour.kind === "answers" && url === `/api/${behaviour.path}`) {
      const headers = {
        "content-type": "application/json",
        "cache-control": "no-store",
        date: new Date().toUTCString(),
      };
      give(outgoing, { status: 200, headers, body: Buffer.from(JSON.stringify(behaviour.json)) });
      return;
    }
    const before = behaviour.kind === "repeats" && method === "GET" && answers.get(url);
    if (before) {
      give(outgoing, before);
      return;
    }
    turn += 1;
    const next = targets[turn % targets.length];
    if (behaviour.kind === "oneFails" && behaviour.target === next) {
      give(outgoing, { status: 500, headers: {}, body: Buffer.from("") });
      return;
    }
    const target = new URL(url, next);
    // The host takes what comes from its own address alone; and each answer is to be a whole one.
    const { host: _host, origin: _origin, "if-none-match": _known, ...headers } = incoming.headers;
    const onward = request(target, { method, headers: { ...headers, host: target.host } }, async (answer) => {
      const body = Buffer.concat(await answer.toArray());
      const { "transfer-encoding": _chunked, connection: _connection, ...own } = answer.headers;
      const given = { status: answer.statusCode ?? 500, headers: own, body };
      if (method === "GET") answers.set(url, given);
      give(outgoing, given);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behave: (next) => {
      behaviour = next;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
