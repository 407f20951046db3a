// HTTP triggers: turns a request into an invocation and what comes out of it into a response.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "../../thrown.ts";
import type { FunctionApp, InvocationResult, RegisteredFunction, TypedData } from "../contract.ts";
import { mayCall } from "../http/function-keys.ts";
import { takeBody } from "../http/request-body.ts";
import type { RequestThrottle } from "../http/request-throttle.ts";
import { compileRoute, matchRoute, type Route, type RouteMatch, sortRoutes } from "../http/routes.ts";
import { limitAnswerTime } from "./answer-time.ts";
import { requestTrace } from "./http-trace.ts";

/** The routes of the app's HTTP functions, under `prefix`; `fault` is told of those that cannot be. */
export function httpRoutes(
  functions: readonly RegisteredFunction[],
  prefix: string,
  fault: (text: string) => void,
): Route<RegisteredFunction>[] {
  const routes: Route<RegisteredFunction>[] = [];
  for (const registered of functions) {
    const { route, methods } = registered.trigger;
    const template = routeTemplate(registered, prefix);
    // The real host looks at the route alone, without its prefix, and at its beginning only.
    if (typeof route === "string" && /^\/?(admin|runtime)/i.test(route)) {
      fault(`function "${registered.name}": route "${route}" conflicts with the host's own /admin and /runtime`);
      continue;
    }
    try {
      const accepted = Array.isArray(methods) && methods.length > 0 ? methods.map(String) : ["GET", "POST"];
      const compiled = compileRoute(template, accepted, registered);
      const other = routes.find((route) => conflicts(route, compiled, prefix));
      if (other) fault(`function "${registered.name}": its route and methods are those of "${other.target.name}" too`);
      else routes.push(compiled);
    } catch (cause) {
      fault(`function "${registered.name}": route "${template}": ${messageOf(cause)}`);
    }
  }
  return sortRoutes(routes);
}

/** As the real host has it: of the same text, whatever the case, and a method in common. */
function conflicts(one: Route<RegisteredFunction>, other: Route<RegisteredFunction>, prefix: string): boolean {
  const textOf = ({ target }: Route<RegisteredFunction>) =>
    routeTemplate(target, prefix).replace(/\/+$/, "").toLowerCase();
  return textOf(one) === textOf(other) && [...one.methods].some((method) => other.methods.has(method));
}

/** The function's route with the prefix, as `func start` shows it. */
export function routeTemplate(registered: RegisteredFunction, prefix: string): string {
  const { route } = registered.trigger;
  const own = typeof route === "string" && route !== "" ? route.replace(/^\/+/, "") : registered.name;
  return prefix ? `${prefix}/${own}` : own;
}

export interface ServedFunctions {
  readonly app: FunctionApp;
  readonly routes: readonly Route<RegisteredFunction>[];
  /** Whether a function's level needs a key. */
  readonly checksKeys: boolean;
  readonly throttle: RequestThrottle;
  /** Headers of every answer of a function, as host.json has them. */
  readonly customHeaders: Readonly<Record<string, string>>;
  failed(registered: RegisteredFunction, invocationId: string, cause: unknown): void;
}

/** Answers the request if a function has its route; false if none has. */
export async function serveFunction(
  served: ServedFunctions,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<boolean> {
  const match = matchRoute(served.routes, request.method ?? "GET", path);
  if (!match) return false;
  if (served.checksKeys && !mayCall(match.target, request)) {
    response.writeHead(401).end();
    return true;
  }
  limitAnswerTime(response);
  const leave = await served.throttle.enter();
  if (!leave) {
    response.writeHead(429).end("Too Busy");
    return true;
  }
  for (const [name, value] of Object.entries(served.customHeaders)) response.setHeader(name, value);
  try {
    await invokeFunction(served, match, request, response);
  } finally {
    leave();
  }
  return true;
}

async function invokeFunction(
  { app, failed }: ServedFunctions,
  { target: registered, params }: RouteMatch<RegisteredFunction>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const invocationId = randomUUID();
  const trace = requestTrace(request.headers);
  try {
    const body = await takeBody(request, response);
    if (!body) return;
    const inputs = { [registered.triggerName]: { http: requestData(request, params, body) } };
    writeResult(response, await app.invoke(registered.name, { invocationId, inputs, triggerMetadata: {}, ...trace }));
  } catch (cause) {
    failed(registered, invocationId, cause);
    // As the real host does: the cause is in the log, the caller learns nothing.
    if (response.writableEnded) return;
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end();
  }
}

/** The request as the worker protocol has it. */
function requestData(
  request: IncomingMessage,
  params: Readonly<Record<string, string>>,
  bytes: Buffer,
): Record<string, unknown> {
  const url = `http://${request.headers.host ?? "127.0.0.1"}${request.url ?? "/"}`;
  return {
    method: request.method,
    url,
    headers: joinedHeaders(request),
    params,
    query: joinedQuery(url),
    body: { bytes },
  };
}

/** Repeated query parameters are joined by commas, as the real host hands them over. */
function joinedQuery(url: string): Record<string, string> {
  const query: Record<string, string> = {};
  if (!url.includes("?") || !URL.canParse(url)) return query;
  for (const [name, value] of new URL(url).searchParams) {
    query[name] = name in query ? `${query[name]},${value}` : value;
  }
  return query;
}

function joinedHeaders(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  return headers;
}

/** The http output is the return value, or else one of the named outputs; without any the answer is 204. */
function writeResult(response: ServerResponse, { returnValue, outputs }: InvocationResult): void {
  // It took too long: its caller was answered.
  if (response.writableEnded) return;
  const http = [returnValue, ...Object.values(outputs)].find((data) => data !== undefined && "http" in data);
  if (!http || !("http" in http)) {
    response.writeHead(204).end();
    return;
  }
  const { statusCode, headers, cookies, body } = http.http as HttpOutput;
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!ASCII.test(value)) throw new Error(`The header ${name} has characters that are not of ASCII: ${value}`);
    response.setHeader(name, value);
  }
  if (cookies && cookies.length > 0) response.setHeader("set-cookie", cookies.map(serializeCookie));
  response.statusCode = Number(statusCode ?? 200);
  const bytes = body && "bytes" in body ? body.bytes : undefined;
  if (bytes && bytes.length > 0) response.end(bytes);
  else response.end();
}

/** What Kestrel writes into a header; Node writes Latin-1 too. */
const ASCII = /^[\t\x20-\x7e]*$/;

interface HttpOutput {
  readonly statusCode?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly RpcCookie[];
  readonly body?: TypedData | null;
}

interface RpcCookie {
  readonly name: string;
  readonly value: string;
  readonly domain?: { readonly value: string };
  readonly path?: { readonly value: string };
  readonly expires?: { readonly value: { readonly seconds: number } };
  readonly secure?: { readonly value: boolean };
  readonly httpOnly?: { readonly value: boolean };
  readonly maxAge?: { readonly value: number };
  readonly sameSite?: "none" | "lax" | "strict" | "explicitNone";
}

function serializeCookie(cookie: RpcCookie): string {
  let text = `${cookie.name}=${encodeURIComponent(cookie.value)}`;
  if (cookie.expires) text += `; Expires=${new Date(cookie.expires.value.seconds * 1000).toUTCString()}`;
  if (cookie.maxAge) text += `; Max-Age=${cookie.maxAge.value}`;
  if (cookie.domain) text += `; Domain=${cookie.domain.value}`;
  if (cookie.path) text += `; Path=${cookie.path.value}`;
  if (cookie.secure?.value) text += "; Secure";
  if (cookie.sameSite === "lax") text += "; SameSite=Lax";
  if (cookie.sameSite === "strict") text += "; SameSite=Strict";
  if (cookie.sameSite === "explicitNone") text += "; SameSite=None";
  if (cookie.httpOnly?.value) text += "; HttpOnly";
  return text;
}
