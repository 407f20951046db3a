// Sends the requests of the Cosmos DB SDK with undici, which takes less CPU time than the SDK's own client (ADR 5). Answers and errors are the
// same: the SDK and the state store decide by these errors which requests they repeat.

import { createHmac, createSecretKey } from "node:crypto";
import {
  createDefaultHttpClient,
  createHttpHeaders,
  type HttpClient,
  type HttpHeaders,
  type PipelineRequest,
  type PipelineResponse,
  RestError,
} from "@azure/core-rest-pipeline";
import type { CosmosClientOptions } from "@azure/cosmos";
import { Agent, type Dispatcher } from "undici";

/**
 * How long an unused connection is kept if the server sends no limit: the value of Microsoft's Java SDK for these requests
 * (`GatewayConnectionConfig`). Azure's load balancer drops an idle connection without a notice after 4 minutes.
 */
const IDLE_MS = 60_000;

/** The codes of node:http for them. */
const CODES: Readonly<Record<string, string>> = {
  SocketError: "ECONNRESET",
  ConnectTimeoutError: "ETIMEDOUT",
  HTTPParserError: "HPE_INVALID_CONSTANT",
  HeadersOverflowError: "HPE_HEADER_OVERFLOW",
};

/** For a client without an agent of its own. A request takes as long as its signal allows: the SDK aborts it after `requestTimeout`. */
export function createCosmosHttpClient(): HttpClient {
  const dispatcher = new Agent({
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_MS,
    connect: { minVersion: "TLSv1.2" },
  });
  const ordinary = createDefaultHttpClient();
  return {
    sendRequest(request) {
      if (!isPlain(request)) return ordinary.sendRequest(request);
      return new Promise((resolve, reject) => new Exchange(request, resolve, reject).begin(dispatcher));
    },
  };
}

/** Text or bytes as the request, text as the answer: all that the store needs. The SDK's own client handles the other requests of a pipeline. */
function isPlain(request: PipelineRequest): boolean {
  const { url, method, body, headers } = request;
  return (
    (request.allowInsecureConnection === true || url.startsWith("https:")) &&
    method !== "HEAD" &&
    (body === undefined || typeof body === "string" || Buffer.isBuffer(body)) &&
    !headers.has("Accept-Encoding") &&
    !request.timeout &&
    !request.disableKeepAlive &&
    !request.streamResponseStatusCodes &&
    !request.onUploadProgress &&
    !request.onDownloadProgress &&
    !request.tlsSettings &&
    !request.requestOverrides
  );
}

/** One request and its result. undici sends it once, and never again. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: PipelineRequest;
  readonly #resolve: (response: PipelineResponse) => void;
  readonly #reject: (cause: unknown) => void;
  readonly #chunks: Buffer[] = [];
  /** Undefined until there is a connection. */
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: HttpHeaders | undefined;

  constructor(
    request: PipelineRequest,
    resolve: (response: PipelineResponse) => void,
    reject: (cause: unknown) => void,
  ) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  begin(dispatcher: Dispatcher): void {
    const { url, method, headers, body, abortSignal } = this.#request;
    if (abortSignal?.aborted) {
      this.#reject(aborted());
      return;
    }
    const { origin, pathname, search } = new URL(url);
    abortSignal?.addEventListener("abort", this.#abort);
    const path = pathname + search;
    dispatcher.dispatch(
      { origin, path, method, headers: headers.toJSON({ preserveCase: true }), body: body as string | Buffer },
      this,
    );
  }

  /** An aborted request that still waits for its connection is not sent later. */
  readonly #abort = (): void => {
    if (this.#controller) this.#controller.abort(aborted());
    else this.onResponseError(undefined, aborted());
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#request.abortSignal?.aborted) controller.abort(aborted());
    else this.#controller = controller;
  }

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    this.#status = status;
    this.#headers = createHttpHeaders();
    for (const name of Object.keys(headers)) {
      const value = headers[name];
      if (value) this.#headers.set(name, typeof value === "string" ? value : value.join(", "));
    }
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#end();
    const [first, ...rest] = this.#chunks;
    const body = rest.length === 0 ? first : Buffer.concat(this.#chunks);
    this.#resolve({
      status: this.#status,
      headers: this.#headers ?? createHttpHeaders(),
      request: this.#request,
      bodyAsText: body?.toString("utf8") ?? "",
    });
  }

  onResponseError(_: unknown, cause: Error): void {
    this.#end();
    this.#reject(this.#headers ? brokenOff(cause) : asFromNode(cause, this.#request));
  }

  #end(): void {
    this.#request.abortSignal?.removeEventListener("abort", this.#abort);
  }
}

/** The SDK creates its TimeoutError from an error with that name. */
function aborted(): Error {
  return Object.assign(new Error("The operation was aborted."), { name: "AbortError" });
}

/** Also after an abort: the SDK's own client reports every end within a body as a body that it could not read. */
function brokenOff(cause: Error): RestError {
  return new RestError(`Error reading response as text: ${cause.message}`, { code: RestError.PARSE_ERROR });
}

function asFromNode(cause: Error & { readonly code?: string }, request: PipelineRequest): Error {
  if (cause.name === "AbortError") return cause;
  if (cause.name === "InvalidArgumentError") return new TypeError(cause.message, { cause });
  const code = CODES[cause.name] ?? cause.code ?? RestError.REQUEST_SEND_ERROR;
  return new RestError(cause.message, { code, request });
}

type Account = Required<Pick<CosmosClientOptions, "endpoint" | "tokenProvider">>;

/**
 * Signs requests to Cosmos DB with an account's key. The SDK decodes and imports the key again for each request; here this is done once. Undefined
 * without an endpoint and a key: the SDK then reports what it needs.
 */
export function accountOf(connectionString: string): Account | undefined {
  const endpoint = /(?:^|;)AccountEndpoint=([^;]+)/.exec(connectionString)?.[1];
  const key = /(?:^|;)AccountKey=([^;]+)/.exec(connectionString)?.[1];
  // A token may stand in the key's place. The SDK sends it as it is.
  if (!endpoint || !key || key.startsWith("type=")) return undefined;
  return { endpoint, tokenProvider: signerWith(key) };
}

/** Gives the value of the authorization header, as in "Access control on Azure Cosmos DB resources". The SDK encodes it. */
function signerWith(accountKey: string): Account["tokenProvider"] {
  const key = createSecretKey(accountKey, "base64");
  return async ({ verb, resourceType, resourceId, headers }) => {
    const date = String(headers["x-ms-date"]).toLowerCase();
    // For the account itself the SDK gives no id, which its type does not say.
    const text = `${verb.toLowerCase()}\n${resourceType.toLowerCase()}\n${resourceId || ""}\n${date}\n\n`;
    return `type=master&ver=1.0&sig=${createHmac("sha256", key).update(text).digest("base64")}`;
  };
}
