// Sends the requests of the Cosmos DB SDK by undici, which takes less CPU time than the SDK's own client (ADR 5). Answers and errors are the same:
// the SDK and the state store decide by these errors what they repeat.
import {
  createDefaultHttpClient,
  createHttpHeaders,
  type HttpClient,
  type HttpHeaders,
  type PipelineRequest,
  type PipelineResponse,
  RestError,
} from "@azure/core-rest-pipeline";
import { Agent, type Dispatcher } from "undici";

/**
 * How long an unused connection is kept where the server says nothing: as Microsoft's Java SDK has it for these requests
 * (`GatewayConnectionConfig`). Azure's load balancer drops a connection without a word after 4 minutes.
 */
const IDLE_MS = 60_000;

/** The codes that node:http has for them. */
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

/** A text or bytes against a text, as all that the store asks. For the rest of what a pipeline may ask there is the SDK's own client. */
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

/** One request and what comes of it. undici sends it once, and never again. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: PipelineRequest;
  readonly #resolve: (response: PipelineResponse) => void;
  readonly #reject: (cause: unknown) => void;
  readonly #chunks: Buffer[] = [];
  /** Undefined as long as there is no connection. */
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

  /** A request that still waits for its connection is not sent when there is one. */
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

/** The SDK makes its TimeoutError of that name. */
function aborted(): Error {
  return Object.assign(new Error("The operation was aborted."), { name: "AbortError" });
}

/** Also of an abort: the SDK's own client says of every end within a body that it could not read it. */
function brokenOff(cause: Error): RestError {
  return new RestError(`Error reading response as text: ${cause.message}`, { code: RestError.PARSE_ERROR });
}

function asFromNode(cause: Error & { readonly code?: string }, request: PipelineRequest): Error {
  if (cause.name === "AbortError") return cause;
  if (cause.name === "InvalidArgumentError") return new TypeError(cause.message, { cause });
  const code = CODES[cause.name] ?? cause.code ?? RestError.REQUEST_SEND_ERROR;
  return new RestError(cause.message, { code, request });
}
