// The meaning of Cosmos DB's answers: which requests may be repeated, and which writes are rejected.
import { ErrorResponse } from "@azure/cosmos";

export const FORBIDDEN = 403;
export const NOT_FOUND = 404;
export const CONFLICT = 409;
export const PRECONDITION_FAILED = 412;
const FAILED_DEPENDENCY = 424;
/** Answers after which the same request may succeed; an error without a code is a broken connection. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 410, 429, 449, 500, 503]);

/** A failed batch does not throw: its operations contain the reason. */
export function rejectionOf(result: readonly { readonly statusCode: number }[] | undefined): number | undefined {
  return result?.find(({ statusCode }) => statusCode >= 400 && statusCode !== FAILED_DEPENDENCY)?.statusCode;
}

export class BatchRejected extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`the batch was answered ${code}`);
    this.code = code;
  }
}

/** The SDK wraps the error of a batch: then the code is on its cause. */
export function statusOf(error: unknown): number | undefined {
  const code = error instanceof ErrorResponse || error instanceof BatchRejected ? error.code : undefined;
  if (typeof code === "number") return code;
  return error instanceof Error && error.cause ? statusOf(error.cause) : undefined;
}

export function isTransient(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined ? !(error instanceof TypeError) : TRANSIENT.has(status);
}
