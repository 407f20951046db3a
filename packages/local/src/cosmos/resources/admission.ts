// Who may do what: all with the key, and what a permission allows with its token.
import type { IncomingHttpHeaders } from "node:http";
import { COSMOS_LIMITS } from "../limits.ts";
import { fault, type Reply } from "../request.ts";
import { readsOnly } from "../routes.ts";
import type { Catalog } from "./catalog.ts";
import { allows, isResourceToken, readToken } from "./resource-tokens.ts";
import { isSigned } from "./signature.ts";

const NOT_SIGNED = fault(401, "The authorization is not signed with the key.", [], 0);
const BY_ENTRA = fault(401, "Entra tokens are not supported by this server: sign in with the key.", [], 0);
const NOT_NOW = fault(403, "The authorization is not of the present time: check the clock.", [], 0);
const EXPIRED = fault(403, "The authorization has expired.", [], 0);
const NOT_GRANTED = fault(403, "The permission of the token does not allow this request.", [], 0);

interface Visitor {
  readonly catalog: Catalog;
  readonly method: string;
  readonly segments: readonly string[];
  readonly headers: IncomingHttpHeaders;
}

const STRONGER = fault(400, "The consistency of the account is Session, and a request can only weaken it.", [], 0);
const WEAKER_OR_SAME = ["session", "consistentprefix", "eventual"];

/** The answer to whom may not do this; undefined lets the request in. */
export function admissionFault({ catalog, method, segments, headers }: Visitor): Reply | undefined {
  const consistency = headers["x-ms-consistency-level"];
  if (consistency !== undefined && !WEAKER_OR_SAME.includes(String(consistency).toLowerCase())) return STRONGER;
  const authorization = headers.authorization ?? "";
  const token = decode(authorization);
  if (token.startsWith("type=aad")) return BY_ENTRA;
  if (!isResourceToken(token)) {
    const date = String(headers["x-ms-date"] ?? headers.date ?? "");
    if (!isSigned(method, segments, date, authorization)) return NOT_SIGNED;
    return Math.abs(Date.now() - Date.parse(date)) <= COSMOS_LIMITS.clockMs.value ? undefined : NOT_NOW;
  }
  const grant = readToken(token);
  if (!grant) return NOT_SIGNED;
  if (grant.until <= Date.now()) return EXPIRED;
  const names = catalog.names(segments.filter((_, index) => index % 2 === 1));
  const key = headers["x-ms-documentdb-partitionkey"];
  const asked = {
    resource: catalog.grantedPath(names) ?? [],
    types: segments.filter((_, index) => index % 2 === 0),
    reads: readsOnly(method, headers),
    key: key === undefined ? undefined : compact(String(key)),
  };
  return allows(grant, asked) ? undefined : NOT_GRANTED;
}

/** Clients may write a key with spaces. */
function compact(key: string): string {
  try {
    return JSON.stringify(JSON.parse(key));
  } catch {
    return key;
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
