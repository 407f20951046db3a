// Authorisation of HTTP callers, and the name in the records (P1, P9, P11, P13). A page of another site must not act in a caller's name.
import { z } from "zod";
import type { OperatorSignIn } from "../app/setting-types.ts";

/** Roles of the app registration: to read, to act, to see jobs' secrets too, and to submit jobs of one's own. */
export type Role = "Jobs.Read" | "Jobs.Operate" | "Jobs.ReadData" | "Jobs.Submit";

export type Access =
  | { readonly kind: "granted"; readonly operator: string }
  | { readonly kind: "rejected"; readonly status: 401 | 403; readonly error: string };

interface Headers {
  get(name: string): string | null;
}

/** Whether the caller may see hidden values. */
export function seesSecrets(headers: Headers, signIn: OperatorSignIn): boolean {
  return accessTo("Jobs.ReadData", headers, signIn).kind === "granted";
}

const NAME_LIMIT = 200;
/** The long name is the claim in tokens of version 1. */
const ROLE_CLAIMS: ReadonlySet<string> = new Set([
  "roles",
  "http://schemas.microsoft.com/ws/2008/06/identity/claims/role",
]);

const principalSchema = z.object({
  claims: z.array(z.object({ typ: z.string(), val: z.string() })),
  role_typ: z.string().optional(),
});

/**
 * - `entra`: built-in authentication runs before the app. It has authenticated the caller and removed headers of these names that the caller sent;
 * the role is checked here.
 * - `key`: the platform checked the function key. The key does not identify its user, so no name is accepted.
 * - `development`: this machine only; every caller may do everything, under the name in the request.
 */
export function accessTo(role: Role, headers: Headers, signIn: OperatorSignIn): Access {
  switch (signIn) {
    case "development":
      return { kind: "granted", operator: nameIn(headers, "x-ms-client-principal-name") ?? "local-operator" };
    case "key":
      // The caller is unknown.
      if (role === "Jobs.ReadData") return { kind: "rejected", status: 403, error: `This takes the role ${role}.` };
      return { kind: "granted", operator: "whoever has the function key" };
    case "entra":
      return signedIn(role, headers);
    default:
      return signIn satisfies never;
  }
}

/**
 * The owner of what the caller submits: the same for each of its requests, and nobody else's. An owner of a queue has no colon in its name. Undefined
 * if a caller who has signed in has no id. Whoever has the function key is one owner.
 */
export function ownerFor(headers: Headers, signIn: OperatorSignIn): string | undefined {
  switch (signIn) {
    case "development":
      return `caller:${nameIn(headers, "x-ms-client-principal-name") ?? "local"}`;
    case "key":
      return "caller:function-key";
    case "entra": {
      const id = nameIn(headers, "x-ms-client-principal-id");
      return id && `caller:${id}`;
    }
    default:
      return signIn satisfies never;
  }
}

/**
 * Browsers send `Origin` with every request that changes data (Fetch standard, "append a request Origin header"). Scripts such as curl send none:
 * they have no cookie that could be misused.
 */
export function isOwnOrigin(headers: Headers): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") return false;
  const origin = headers.get("origin");
  if (origin === null) return true;
  if (!URL.canParse(origin)) return false;
  // A front end such as Azure's puts the host that the browser requested here.
  const host = headers.get("x-forwarded-host") ?? headers.get("host");
  return new URL(origin).host === host;
}

const LOOKING: { readonly [role in Role]?: readonly Role[] } = { "Jobs.Read": ["Jobs.Operate", "Jobs.ReadData"] };

function signedIn(role: Role, headers: Headers): Access {
  const roles = rolesFrom(headers.get("x-ms-client-principal"));
  if (!roles) return { kind: "rejected", status: 401, error: "Sign in first." };
  // A caller who may act, or may see the secrets, may also read.
  const suffices = [role, ...(LOOKING[role] ?? [])].some((one) => roles.has(one));
  if (!suffices) return { kind: "rejected", status: 403, error: `This takes the role ${role}.` };
  const operator = nameIn(headers, "x-ms-client-principal-name") ?? nameIn(headers, "x-ms-client-principal-id");
  return { kind: "granted", operator: operator ?? "unnamed" };
}

/** Base64 of JSON: https://learn.microsoft.com/azure/app-service/configure-authentication-user-identities. */
function rolesFrom(principal: string | null): ReadonlySet<string> | undefined {
  if (principal === null) return undefined;
  try {
    const { claims, role_typ } = principalSchema.parse(JSON.parse(Buffer.from(principal, "base64").toString("utf8")));
    return new Set(claims.flatMap(({ typ, val }) => (ROLE_CLAIMS.has(typ) || typ === role_typ ? [val] : [])));
  } catch {
    return undefined;
  }
}

/** The name is written to the history and the logs, where it could be made to look like another's: no control, format or bidirectional characters. */
function nameIn(headers: Headers, header: string): string | undefined {
  const name = headers
    .get(header)
    ?.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
    .trim();
  return name ? name.slice(0, NAME_LIMIT) : undefined;
}
