// What the routes of the durable HTTP API share: what they are given, how they read a request and write an answer.
import type { DurableHttpRequest, DurableHttpResponse } from "../contract.ts";
import type { DurableSettings } from "../host-json-durable.ts";
import { WEBHOOK_PREFIX } from "./client-binding.ts";
import type { Orchestrations } from "./orchestrations.ts";

export interface RouteParts {
  readonly hubName: string;
  readonly orchestrations: Orchestrations;
  readonly settings: DurableSettings;
}

export interface ApiCall extends RouteParts {
  readonly request: DurableHttpRequest;
  /** The variable parts of the path, decoded. */
  readonly parts: readonly (string | undefined)[];
}

export type Handler = (call: ApiCall) => DurableHttpResponse | Promise<DurableHttpResponse>;

const DEFAULT_PAGE = 100;
export const CONTINUATION_HEADER = "x-ms-continuation-token";

type ParsedBody = { readonly kind: "json"; readonly text: string | null } | { readonly kind: "invalid" };

export const NO_JSON = "The body is no JSON.";

export function jsonBody({ body }: DurableHttpRequest): ParsedBody {
  if (body === "") return { kind: "json", text: null };
  try {
    JSON.parse(body);
    return { kind: "json", text: body };
  } catch {
    return { kind: "invalid" };
  }
}

/** Parameters, such as a charset, do not matter. */
export function isJsonType(type: string | undefined): boolean {
  return type?.split(";")[0]?.trim().toLowerCase() === "application/json";
}

export function pageSize(query: URLSearchParams): number {
  const top = Number(query.get("top") ?? DEFAULT_PAGE);
  return Number.isInteger(top) && top > 0 ? top : DEFAULT_PAGE;
}

/** What is no date is as if it were not there, as in the real API. */
export function instantOf(query: URLSearchParams, name: string): number | undefined {
  const instant = Date.parse(query.get(name) ?? "");
  return Number.isNaN(instant) ? undefined : instant;
}

export function baseUrlOf({ headers }: DurableHttpRequest): string {
  return `http://${headers["host"] ?? "localhost"}`;
}

export function ownPath({ path, query }: DurableHttpRequest): string {
  const text = query.toString();
  return `${WEBHOOK_PREFIX}${path}${text ? `?${text}` : ""}`;
}

/** A lone percent sign stands for itself. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function json(status: number, body: string, headers: Record<string, string> = {}): DurableHttpResponse {
  return { status, headers: { "content-type": "application/json; charset=utf-8", ...headers }, body };
}

export function problem(status: number, message: string): DurableHttpResponse {
  return json(status, JSON.stringify({ Message: message }));
}

/** What no instance id may have (DurableClient, IsInvalidCharacter). */
export const hasRefusedCharacter = (text: string) => /[/\\#?\p{Cc}]/u.test(text);
