// The seam between the host (loads the app, binds triggers, invokes) and the durable engine (decides what is invoked when).
import type { InvocationContext } from "@azure/functions";

/** One value on the wire between host and worker: exactly one member is set, and of `empty` the library knows nothing. */
export type TypedData =
  | { empty: true }
  | { string: string }
  | { json: string }
  | { bytes: Uint8Array }
  | { int: number }
  | { double: number }
  | { http: Record<string, unknown> }
  | { collectionBytes: { bytes: Uint8Array[] } };

export interface Binding {
  readonly type: string;
  readonly direction: "in" | "out" | "inout";
  readonly [setting: string]: unknown;
}

/** A function as the app registered it. */
export interface RegisteredFunction {
  readonly name: string;
  /** The name of its trigger binding in `bindings`. */
  readonly triggerName: string;
  readonly trigger: Binding;
  readonly bindings: Readonly<Record<string, Binding>>;
  /** The retry policy that the app gave it, for the triggers that follow one. */
  readonly retry?: RetryPolicy;
}

export interface RetryPolicy {
  readonly retryStrategy?: string;
  /** -1: without end. */
  readonly maxRetryCount?: number;
  readonly delayInterval?: { readonly seconds: number };
  readonly minimumInterval?: { readonly seconds: number };
  readonly maximumInterval?: { readonly seconds: number };
}

/** What an activity was called with. */
export interface ActivityCall {
  /** JSON text. */
  readonly input: string;
  readonly instanceId: string;
}

export interface Invocation {
  readonly invocationId: string;
  /** By binding name: the trigger's input. The host adds other inputs, such as the durable client's. */
  readonly inputs: Readonly<Record<string, TypedData>>;
  readonly triggerMetadata?: Readonly<Record<string, TypedData>>;
  /** Set for an activity, in the place of its metadata. */
  readonly activity?: ActivityCall;
  readonly traceParent?: string;
  readonly traceState?: string;
  /** Set where the function's own retry policy runs it again. */
  readonly retry?: { readonly retryCount: number; readonly maxRetryCount: number };
  /**
   * Called with the context before the hooks run: the durable engine hangs its look-outs there. `session` is the
   * invocation's own record in the library: a session that goes on after `invoke` has ended sets its `state` to
   * `postInvocationHooks`, or every log line would warn of a call that was not awaited.
   */
  readonly prepare?: (context: InvocationContext, session: InvocationSession) => void;
}

export type InvocationState = "preInvocationHooks" | "invocation" | "postInvocationHooks";

export interface InvocationSession {
  state: InvocationState | undefined;
}

export interface InvocationResult {
  readonly returnValue: TypedData | undefined;
  readonly outputs: Readonly<Record<string, TypedData>>;
}

/** The loaded app. `invoke` rejects with what the function threw, and with a fault of an output binding. */
export interface FunctionApp {
  readonly functions: ReadonlyMap<string, RegisteredFunction>;
  invoke(functionName: string, invocation: Invocation): Promise<InvocationResult>;
}

export interface DurableHttpRequest {
  readonly method: string;
  /** What follows `/runtime/webhooks/durabletask/`, without a leading slash or query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export interface DurableHttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The durable engine, as the host sees it. */
export interface DurableEngine {
  /** Takes up what was unfinished. Called once, when the app is loaded and the HTTP server answers. */
  start(): void;
  /** The text that a `durableClient` input binding hands to the app. `baseUrl` is the host's own, such as `http://127.0.0.1:7071`. */
  clientBinding(baseUrl: string): string;
  /** The routes that the unmodified durable client and the management URLs call. */
  handleHttp(request: DurableHttpRequest): Promise<DurableHttpResponse>;
  readonly counts: Readonly<Record<string, number>>;
  /** From now on no activity is started: what is scheduled waits for the next start. Everything else goes on. */
  hold(): void;
  /** Waits for turns under way, at most `timeoutMs`, then closes its database. */
  close(timeoutMs: number): Promise<void>;
}
