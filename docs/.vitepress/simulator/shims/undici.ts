// undici for the simulator: a request is handed to the dispatcher that stands in the place of sockets, which is the test kit's network.
import { Buffer } from "./buffer.ts";

interface Controller {
  abort(reason: unknown): void;
}

interface Handler {
  onRequestStart(controller: Controller, context: object): void;
  onResponseStart(controller: Controller, statusCode: number, headers: object, statusText: string): void;
  onResponseData(controller: Controller, chunk: Uint8Array): void;
  onResponseEnd(controller: Controller, trailers: object): void;
  onResponseError(controller: Controller, cause: unknown): void;
}

interface Options {
  readonly method: string;
  readonly headers: object;
  readonly body: string | null;
  readonly signal?: AbortSignal;
  readonly dispatcher?: { readonly dispatch: Dispatch };
}

type Dispatch = (options: object, handler: Handler) => boolean;

export class Dispatcher {
  dispatch(_options: object, _handler: Handler): boolean {
    throw new Error("The simulator has no network.");
  }

  compose(interceptor: (dispatch: Dispatch) => Dispatch): { readonly dispatch: Dispatch } {
    return { dispatch: interceptor((options, handler) => this.dispatch(options, handler)) };
  }
}

/** Of a network that is not here. */
export class Agent extends Dispatcher {}
export const buildConnector = () => () => undefined;

let current = new Dispatcher();

export const getGlobalDispatcher = (): Dispatcher => current;

export function setGlobalDispatcher(dispatcher: Dispatcher): void {
  current = dispatcher;
}

interface Response {
  readonly statusCode: number;
  readonly headers: object;
  readonly body: readonly Uint8Array[];
}

export function request(
  address: string,
  { method, headers, body, signal, dispatcher = current }: Options,
): Promise<Response> {
  const { origin, pathname, search } = new URL(address);
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let started = { statusCode: 0, headers: {} };
    const handler: Handler = {
      onRequestStart: (controller) => {
        const abort = () => controller.abort(signal?.reason);
        if (signal?.aborted) abort();
        else signal?.addEventListener("abort", abort, { once: true });
      },
      onResponseStart: (_, statusCode, given) => {
        started = { statusCode, headers: given };
      },
      onResponseData: (_, chunk) => void chunks.push(Buffer.from(chunk)),
      onResponseEnd: () => resolve({ ...started, body: chunks }),
      onResponseError: (_, cause) => reject(cause),
    };
    dispatcher.dispatch({ origin, path: pathname + search, method, headers, body }, handler);
  });
}
