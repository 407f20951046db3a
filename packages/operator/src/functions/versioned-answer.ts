// Answers with their version: a caller that has this version already gets 304, without a body (RFC 9110, 13.1.2).
import type { HttpRequest, HttpResponseInit } from "@azure/functions";
import { isWantedVersion } from "@scheduler-agent-supervisor/core/store";
import { parseIfMatch } from "../messaging/entity-tag.ts";
import { isKnown, listTag } from "../messaging/list-tag.ts";

export function versioned(request: HttpRequest, etag: string, jsonBody: unknown): HttpResponseInit {
  const headers = { ETag: etag, "Cache-Control": "private, no-cache" };
  const known = parseIfMatch(request.headers.get("if-none-match") ?? '""');
  if (known.kind === "valid" && isWantedVersion(etag, known.value)) return { status: 304, headers };
  return { headers, jsonBody };
}

/** A list: a browser keeps it and requests it again. The store's cost is the same. */
export function listed(request: HttpRequest, jsonBody: object): HttpResponseInit {
  const tag = listTag(jsonBody);
  const headers = { ETag: tag, "Cache-Control": "private, no-cache" };
  if (isKnown(tag, request.headers.get("if-none-match"))) return { status: 304, headers };
  return { headers, jsonBody };
}
