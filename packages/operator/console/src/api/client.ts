// Asks the API: each answer is data or one kind of fault, so that every view can say what is wrong and what to do.
import { compareClocks, noteTriedAgain } from "./clock.ts";

export type FaultKind =
  | "offline"
  | "late"
  | "signed-out"
  | "forbidden"
  | "not-found"
  | "rejected"
  | "changed"
  | "invalid"
  | "not-the-app"
  | "failed";

export class ApiFault extends Error {
  override readonly name = "ApiFault";
  readonly kind: FaultKind;
  readonly status: number;
  /** Every fault of a request, as the server words them. */
  readonly faults: readonly string[];

  constructor(kind: FaultKind, status: number, message: string, faults: readonly string[] = []) {
    super(message);
    this.kind = kind;
    this.status = status;
    this.faults = faults;
  }
}

const KINDS: { readonly [status: number]: FaultKind } = {
  400: "invalid",
  401: "signed-out",
  403: "forbidden",
  404: "not-found",
  409: "rejected",
  412: "changed",
};

/** A view that waits longer than this shows that it has no answer. */
const READ_WITHIN_MS = 10_000;
const TRIED_AGAIN_AFTER_MS = 500;
/** An action may call the store and the bus several times. */
const ACT_WITHIN_MS = 60_000;

/** For this tab alone: an app without sign-in asks for a function key. */
const KEY = "function-key";

export function useFunctionKey(key: string): void {
  sessionStorage.setItem(KEY, key);
}

/** With one more try where the app gave a poor answer; what it rejects it rejects again. */
export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const options = signal ? { signal } : {};
  try {
    return await ask<T>(path, options, READ_WITHIN_MS);
  } catch (cause) {
    if (!(cause instanceof ApiFault && cause.kind === "failed")) throw cause;
    await new Promise((resolve) => setTimeout(resolve, TRIED_AGAIN_AFTER_MS));
    if (signal?.aborted) throw cause;
    const answer = await ask<T>(path, options, READ_WITHIN_MS);
    noteTriedAgain();
    return answer;
  }
}

export function post<T>(path: string, body: unknown, etag?: string): Promise<T> {
  const headers = { "Content-Type": "application/json", ...(etag !== undefined && { "If-Match": etag }) };
  return ask<T>(path, { method: "POST", headers, body: JSON.stringify(body) }, ACT_WITHIN_MS);
}

async function ask<T>(path: string, options: RequestInit, withinMs: number): Promise<T> {
  const limit = AbortSignal.timeout(withinMs);
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
  try {
    return await answerTo<T>(`/api/${path}`, { ...options, signal });
  } catch (cause) {
    if (limit.aborted && !options.signal?.aborted) throw new ApiFault("late", 0, "");
    throw cause;
  }
}

async function answerTo<T>(url: string, options: RequestInit): Promise<T> {
  const askedAt = Date.now();
  const response = await answered(url, options);
  // What a cache has kept says the time of then.
  if (/no-store/.test(response.headers.get("cache-control") ?? ""))
    compareClocks(response.headers.get("date"), askedAt);
  // Built-in authentication sends who is not signed in to another site, which a script can't follow.
  if (response.type === "opaqueredirect") throw new ApiFault("signed-out", 401, "");
  const text = await response.text();
  const said = parsed(text);
  if (response.ok) {
    if (said) return said as T;
    // Something between the browser and the app has answered in its place: a page to sign in, an error page, an empty one.
    throw new ApiFault("not-the-app", response.status, "");
  }
  const message = said?.reason ?? said?.error ?? "";
  throw new ApiFault(KINDS[response.status] ?? "failed", response.status, message, said?.faults ?? []);
}

async function answered(url: string, options: RequestInit): Promise<Response> {
  const key = sessionStorage.getItem(KEY);
  const headers = { ...options.headers, ...(key && { "x-functions-key": key }) };
  try {
    return await fetch(url, { ...options, headers, redirect: "manual" });
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    throw new ApiFault("offline", 0, "");
  }
}

interface Said {
  readonly error?: string;
  readonly reason?: string;
  readonly faults?: readonly string[];
}

/** Every answer of the API is an object; undefined for anything else. */
function parsed(text: string): Said | undefined {
  try {
    const said: unknown = JSON.parse(text);
    return said !== null && typeof said === "object" && !Array.isArray(said) ? said : undefined;
  } catch {
    return undefined;
  }
}
