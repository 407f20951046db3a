// One request and its reply, as the operations see them.
import type { IncomingHttpHeaders } from "node:http";
import type { Database } from "../database/database.ts";
import type { KeyRange } from "./partitions/key-ranges.ts";
import type { Catalog } from "./resources/catalog.ts";
import type { Container } from "./resources/container.ts";

export interface Call {
  readonly catalog: Catalog;
  readonly database: Database;
  /** The address that the client came by, as `https://localhost:8081`. */
  readonly origin: string;
  /** The identifiers in the path: database, container, document. */
  readonly names: readonly string[];
  readonly headers: IncomingHttpHeaders;
  /** As text; empty where it is binary. */
  readonly body: string;
  readonly bytes: Buffer;
  /** By `performance.now()`: then it has been executed for as long as a request may. */
  readonly until: number;
}

export interface Reply {
  readonly status: number;
  readonly body?: string | Buffer;
  /** Request units by the model of charges.ts. */
  readonly charge: number;
  /** Names and values in turn. */
  readonly headers?: readonly string[];
}

/** An operation on the documents of a container. */
export interface ItemCall extends Call {
  readonly container: Container;
  /** The physical partition that a client addresses, where it does. */
  readonly range?: KeyRange | undefined;
}

const CODES: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  410: "Gone",
  412: "PreconditionFailed",
  413: "RequestEntityTooLarge",
  424: "FailedDependency",
  429: "TooManyRequests",
  500: "InternalServerError",
  507: "InsufficientStorage",
};

export function fault(status: number, message: string, headers: readonly string[] = [], charge = 1): Reply {
  const body = JSON.stringify({ code: CODES[status] ?? "Error", message });
  return { status, body, charge, headers };
}

export function header(call: Call, name: string): string | undefined {
  const value = call.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

export const isTrue = (value: string | undefined) => value?.toLowerCase() === "true";

export const prefersMinimal = (call: Call) =>
  call.headers["prefer"] !== undefined && /(^|[,; ])return=minimal($|[,; ])/i.test(header(call, "prefer") ?? "");
