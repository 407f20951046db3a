// The meaning of Cosmos DB's answers: which requests may be repeated, and which writes are rejected.

import { type Container, ErrorResponse } from "@azure/cosmos";

export const FORBIDDEN = 403;
const NOT_FOUND = 404;
export const CONFLICT = 409;
const PRECONDITION_FAILED = 412;
const BAD_REQUEST = 400;
const TOO_LARGE = 413;
/** A job's documents together have reached the size of a logical partition. With any other substatus, a 403 is about a role or a key. */
const PARTITION_FULL = 1014;
const FAILED_DEPENDENCY = 424;
/** Answers after which the same request may succeed; an error without a code is a broken connection. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 410, 429, 449, 500, 503]);

/** For a batch of whose answer nobody reads more than whether it was made. The SDK 4.10.1 rejects it for all other writes. */
export const WITHOUT_DOCUMENTS = { contentResponseOnWriteEnabled: false } as const;

interface Answered {
  readonly statusCode: number;
  readonly subStatusCode?: number | undefined;
}

/** A failed batch does not throw: its operations contain the reason. */
export function rejectionOf(result: readonly Answered[] | undefined): Answered | undefined {
  return result?.find(({ statusCode }) => statusCode >= 400 && statusCode !== FAILED_DEPENDENCY);
}

export class BatchRejected extends Error {
  readonly code: number;
  readonly substatus: number | undefined;
  constructor({ statusCode, subStatusCode }: Answered) {
    super(`the batch was answered ${statusCode}`);
    this.code = statusCode;
    this.substatus = subStatusCode;
  }
}

interface Coded {
  readonly status: number;
  readonly substatus: number | undefined;
}

/** What the store says of its newest state when it rejects a write: a read with this token is not older. */
function sessionOf(error: unknown): Session {
  const sessionToken: unknown = error instanceof ErrorResponse && error.headers?.["x-ms-session-token"];
  return typeof sessionToken === "string" ? { sessionToken } : {};
}

/** For a read's options. */
export interface Session {
  readonly sessionToken?: string;
}

/** The SDK wraps the error of a batch: then the code is on its cause. */
function codedIn(error: unknown): Coded | undefined {
  const coded = error instanceof ErrorResponse || error instanceof BatchRejected ? error : undefined;
  if (typeof coded?.code === "number") return { status: coded.code, substatus: coded.substatus };
  return error instanceof Error && error.cause ? codedIn(error.cause) : undefined;
}

export function statusOf(error: unknown): number | undefined {
  return codedIn(error)?.status;
}

export function isTransient(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined ? !(error instanceof TypeError) : TRANSIENT.has(status);
}

/** The store will never make this write: the document is too large or invalid, or the job's partition is full. */
export function isNotStorable(error: unknown): boolean {
  const { status, substatus } = codedIn(error) ?? {};
  return status === BAD_REQUEST || status === TOO_LARGE || (status === FORBIDDEN && substatus === PARTITION_FULL);
}

/** The document does not exist, or does not satisfy the condition. */
export const REJECTIONS: ReadonlySet<number | undefined> = new Set([NOT_FOUND, CONFLICT, PRECONDITION_FAILED]);

/** Every document has its time of change, and none was changed before 1970. */
const NEVER_MADE = {
  condition: "from c where c._ts < 0",
  operations: [{ op: "set", path: "/neverMade", value: true }],
} as const;

/**
 * For a read that can't be stale, whoever wrote last. The session of the newest state of an item's partition. A replica that takes writes answers a
 * write that is never made, and it says in a rejection too what its newest state is: a read with that session is not older. The document need not
 * exist.
 * @throws what the client throws if the store is unavailable
 */
export async function newestSession(item: Pick<ReturnType<Container["item"]>, "patch">): Promise<Session> {
  try {
    await item.patch({ ...NEVER_MADE, operations: [...NEVER_MADE.operations] });
  } catch (cause) {
    if (REJECTIONS.has(statusOf(cause))) return sessionOf(cause);
    throw cause;
  }
  throw new TypeError("the store made a write whose condition never holds");
}
