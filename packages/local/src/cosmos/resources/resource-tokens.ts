// Resource tokens: what a permission gives to whom does not have the key. Each says itself what it allows, and is signed.
// Source: Cosmos DB documentation, "Secure access to data": permissions and resource tokens.
import { createHmac, timingSafeEqual } from "node:crypto";
import { isObject, parseJson } from "../sql/values.ts";
import { EMULATOR_KEY } from "./signature.ts";

export interface Grant {
  readonly mode: "Read" | "All";
  /** The resource ids of a database and a container, and the id of a document; the last may be left out. */
  readonly resource: readonly string[];
  /** The text of the one partition key that it is limited to. */
  readonly key?: string;
  /** In milliseconds. */
  readonly until: number;
}

export interface Asked {
  /** In the form of a grant's. */
  readonly resource: readonly string[];
  /** The collections that the path goes through: `dbs`, `colls`, `docs` and others. */
  readonly types: readonly string[];
  readonly reads: boolean;
  readonly key: string | undefined;
}

const SECRET = Buffer.from(EMULATOR_KEY, "base64");
const signatureOf = (payload: string) => createHmac("sha256", SECRET).update(payload).digest();

export function tokenOf(grant: Grant): string {
  const payload = Buffer.from(JSON.stringify(grant)).toString("base64");
  return `type=resource&ver=1.0&sig=${signatureOf(payload).toString("base64")};${payload};`;
}

export const isResourceToken = (authorization: string) => authorization.startsWith("type=resource");

/** Undefined where this server did not make the token. */
export function readToken(token: string): Grant | undefined {
  const [, signature = "", payload = ""] = /&sig=([^;]*);([^;]*);?$/.exec(token) ?? [];
  const [given, right] = [Buffer.from(signature, "base64"), signatureOf(payload)];
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
  const grant = parseJson(Buffer.from(payload, "base64").toString());
  return isObject(grant) ? (grant as unknown as Grant) : undefined;
}

export function allows({ mode, resource, key }: Grant, asked: Asked): boolean {
  if (asked.types.length === 0) return true;
  if (asked.types.includes("users") || asked.types.includes("permissions")) return false;
  if (mode === "Read" && !asked.reads) return false;
  if (!resource.every((name, index) => asked.resource[index] === name)) return false;
  // Clients read the definition of a container, and its ranges, before they ask for documents of one key.
  return key === undefined || asked.key === key || (asked.reads && asked.types[2] !== "docs");
}
