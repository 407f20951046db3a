// Who may ask at all: whoever signs with the key, and asks for no more than the account has.
import type { IncomingHttpHeaders } from "node:http";
import { COSMOS_LIMITS } from "../limits.ts";
import { fault, type Reply } from "../request.ts";
import { isSigned } from "./signature.ts";

const NOT_SIGNED = fault(401, "The authorization is not signed with the key.", [], 0);
const BY_ENTRA = fault(401, "Entra tokens are not supported by this server: sign in with the key.", [], 0);
const BY_RESOURCE = fault(401, "Resource tokens are not supported by this server: sign in with the key.", [], 0);
const NOT_NOW = fault(403, "The authorization is not of the present time: check the clock.", [], 0);

interface Visitor {
  readonly method: string;
  readonly segments: readonly string[];
  readonly headers: IncomingHttpHeaders;
}

const STRONGER = fault(400, "The consistency of the account is Session, and a request can only weaken it.", [], 0);
const WEAKER_OR_SAME = ["session", "consistentprefix", "eventual"];

/** The answer to whom may not do this; undefined lets the request in. */
export function admissionFault({ method, segments, headers }: Visitor): Reply | undefined {
  const consistency = headers["x-ms-consistency-level"];
  if (consistency !== undefined && !WEAKER_OR_SAME.includes(String(consistency).toLowerCase())) return STRONGER;
  const authorization = headers.authorization ?? "";
  const token = decode(authorization);
  if (token.startsWith("type=aad")) return BY_ENTRA;
  if (token.startsWith("type=resource")) return BY_RESOURCE;
  const date = String(headers["x-ms-date"] ?? headers.date ?? "");
  if (!isSigned(method, segments, date, authorization)) return NOT_SIGNED;
  return Math.abs(Date.now() - Date.parse(date)) <= COSMOS_LIMITS.clockMs.value ? undefined : NOT_NOW;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
