// What the operations of `$management` have in common: whom they ask, and how they answer.

import type { EntityCatalog } from "../entities/entity-catalog.ts";
import type { Queue } from "../queue/queue.ts";
import type { Response } from "./request-link.ts";

export interface ManagementTarget {
  readonly queue: Queue;
  readonly catalog: EntityCatalog;
  now(): number;
}

export type Body = Readonly<Record<string, unknown>>;
export type Operation = (target: ManagementTarget, body: Body) => Response | Promise<Response>;

export const OK: Response = { properties: { statusCode: 200, statusDescription: "OK" } };
export const NO_CONTENT: Response = { properties: { statusCode: 204, statusDescription: "No Content" } };

export const OUT_OF_RANGE = "com.microsoft:argument-out-of-range";
export const SESSION_LOST = refusal(410, "com.microsoft:session-lock-lost", "The session is not locked.");

export function ok(body: unknown): Response {
  return { ...OK, body };
}

export function refusal(statusCode: number, errorCondition: string, statusDescription: string): Response {
  return { properties: { statusCode, errorCondition, statusDescription } };
}

export function isBody(value: unknown): value is Body {
  return value !== null && typeof value === "object";
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** rhea gives longs beyond 2^53 as buffers; no sequence number is that large. */
export function toNumber(value: unknown): number {
  return typeof value === "number" ? value : Number.MAX_SAFE_INTEGER;
}
