// The network of a world: an agent's HTTP calls reach the scripted services, without a socket. Other code's calls go where they went before.
import { AsyncLocalStorage } from "node:async_hooks";
import { Dispatcher, getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { milliseconds, type Outcome, type ServiceRequest } from "./scripted-service.ts";

export interface Network {
  /** The service at that address takes it, perhaps later: then `answer` gets what it makes of it. @throws where there is none */
  take(origin: string, request: Omit<ServiceRequest, "operation" | "at">, answer: (outcome: Outcome) => void): void;
  /** After that time, by the world's clock. */
  later(ms: number, run: () => void): void;
}

const current = new AsyncLocalStorage<Network>();
let installed = 0;
let before: Dispatcher | undefined;

/** Runs code whose HTTP calls, by undici or `fetch`, are that network's. */
export function onNetwork<T>(network: Network, run: () => T): T {
  return current.run(network, run);
}

/** Has networks stand in the place of sockets, as long as `run` takes. */
export async function withNetworks<T>(run: () => Promise<T>): Promise<T> {
  if (installed === 0) {
    before = getGlobalDispatcher();
    setGlobalDispatcher(new NetworkDispatcher(before));
  }
  installed += 1;
  try {
    return await run();
  } finally {
    installed -= 1;
    if (installed === 0 && before) setGlobalDispatcher(before);
  }
}

type Handler = Dispatcher.DispatchHandler;

class NetworkDispatcher extends Dispatcher {
  readonly #outside: Dispatcher;

  constructor(outside: Dispatcher) {
    super();
    this.#outside = outside;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Handler): boolean {
    const network = current.getStore();
    if (!network) return this.#outside.dispatch(options, handler);
    new Exchange(network, handler).begin(options);
    return true;
  }
}

/** One request and what comes of it. */
class Exchange implements Dispatcher.DispatchController {
  readonly #network: Network;
  readonly #handler: Handler;
  #isOver = false;
  readonly paused = false;
  reason: Error | null = null;

  constructor(network: Network, handler: Handler) {
    this.#network = network;
    this.#handler = handler;
  }

  get aborted(): boolean {
    return this.reason !== null;
  }

  abort(reason: Error): void {
    if (this.#isOver) return;
    this.reason = reason;
    this.#fail(reason);
  }

  pause(): void {}
  resume(): void {}

  begin({ origin, path, method, headers, body }: Dispatcher.DispatchOptions): void {
    this.#handler.onRequestStart?.(this, {});
    void this.#answer(String(origin), path, method, headersOf(headers), body).catch((cause: Error) =>
      this.#fail(cause),
    );
  }

  async #answer(origin: string, path: string, method: string, headers: Record<string, string>, body: unknown) {
    const text = await textOf(body);
    if (this.#isOver) return;
    const idempotencyKey = headers["idempotency-key"];
    const request = { method, path, headers, body: jsonOf(text), idempotencyKey };
    this.#network.take(origin, request, (outcome) => this.#answerWith(outcome));
  }

  #answerWith(outcome: Outcome): void {
    if (outcome === "hangs") return;
    if (outcome === "lost") {
      this.#fail(Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }));
      return;
    }
    const { takes } = outcome;
    if (takes === undefined) this.#respond(outcome);
    else this.#network.later(milliseconds(takes), () => this.#respond(outcome));
  }

  #respond({ status = 200, headers = {}, body = {} }: Exclude<Outcome, string>): void {
    if (this.#isOver) return;
    const type = { "content-type": "application/json" };
    this.#handler.onResponseStart?.(this, status, { ...type, ...headers }, "");
    this.#handler.onResponseData?.(this, Buffer.from(JSON.stringify(body)));
    this.#isOver = true;
    this.#handler.onResponseEnd?.(this, {});
  }

  #fail(cause: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#handler.onResponseError?.(this, cause);
  }
}

/** undici takes them as an object, as pairs, or as names and values in turn. */
function headersOf(headers: Dispatcher.DispatchOptions["headers"]): Record<string, string> {
  const pairs: [string, unknown][] = [];
  if (Array.isArray(headers) && typeof headers[0] === "string") {
    for (let at = 0; at < headers.length; at += 2) pairs.push([String(headers[at]), headers[at + 1]]);
  } else if (headers && Symbol.iterator in headers) {
    for (const [name, value] of headers as Iterable<[string, unknown]>) pairs.push([name, value]);
  } else {
    pairs.push(...Object.entries(headers ?? {}));
  }
  return Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

async function textOf(body: unknown): Promise<string> {
  if (body === null || body === undefined) return "";
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  const chunks: Buffer[] = [];
  for await (const chunk of body as AsyncIterable<Uint8Array | string>) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString();
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text === "" ? null : text;
  }
}
