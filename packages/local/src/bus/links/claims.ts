// Claims-based security: checks the shared access signature that a client puts to `$cbs` before it opens links.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { DecodedMessage } from "../rhea-internals.ts";
import type { Response } from "./request-link.ts";

export const KEY_NAME = "RootManageSharedAccessKey";
/** The key of Microsoft's emulator, known to everybody: the broker listens on this machine only. */
export const KEY = "SAS_KEY_VALUE";

const ACCEPTED = 202;
const UNAUTHORIZED = 401;

/** The same key as user and password of SASL PLAIN, which clients without `$cbs` use. */
export function isKey(name: string, key: string): boolean {
  return name === KEY_NAME && key === KEY;
}

/** What a client put tokens for: paths of entities, each until its token expires. */
export class Claims {
  readonly #untilByPath = new Map<string, number>();

  /** @param until in milliseconds */
  put(path: string, until: number): void {
    this.#untilByPath.set(path, until);
  }

  /** Whether a claim for the entity, or for something above it, is valid. */
  covers(entity: string, now: number): boolean {
    const path = entity.toLowerCase();
    return [...this.#untilByPath].some(([claimed, until]) => until > now && isWithin(path, claimed));
  }
}

const isWithin = (path: string, above: string) => above === "" || path === above || path.startsWith(`${above}/`);

export function answerClaim(request: DecodedMessage, claims: Claims, now: number): Response {
  const { operation, name } = request.application_properties ?? {};
  const token = readToken(typeof request.body === "string" ? request.body : "", now);
  const claimed = typeof token === "string" || typeof name !== "string" ? token : narrowed(token, pathOf(name));
  const answer = operation === "put-token" ? claimed : `The operation ${String(operation)} is unknown.`;
  if (typeof answer !== "string") claims.put(answer.path, answer.until);
  return {
    properties: {
      "status-code": typeof answer === "string" ? UNAUTHORIZED : ACCEPTED,
      "status-description": typeof answer === "string" ? answer : "Accepted",
    },
  };
}

interface Token {
  /** Of the resource, in lower case: empty is the namespace. */
  readonly path: string;
  readonly until: number;
}

/** A client names what it wants to use, which may be a part of what the token is for. */
function narrowed({ path, until }: Token, wanted: string): Token | string {
  return isWithin(wanted, path) ? { path: wanted, until } : "The token is for another resource.";
}

/** Of `sb://host/queue/$management`, the queue. */
function pathOf(resource: string): string {
  return resource
    .toLowerCase()
    .replace(/^[a-z]+:\/\/[^/]*/, "")
    .replace(/^\/+|\/+$/g, "")
    .replace(/\/?\$management$/, "");
}

/** A text that is not encoded properly is no signature. */
function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

/** A text says what is wrong. The signature is base64 of HMAC-SHA256(key, resource as sent + "\n" + expiry in seconds). */
export function readToken(token: string, now: number): Token | string {
  const [scheme, fields = ""] = token.split(" ", 2);
  if (scheme !== "SharedAccessSignature") return "The token is no shared access signature.";
  const field = new Map(
    fields.split("&").map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  );
  const expiry = field.get("se") ?? "";
  const signature = decodePercent(field.get("sig") ?? "");
  const resource = field.get("sr") ?? "";
  const expected = createHmac("sha256", KEY).update(`${resource}\n${expiry}`).digest();
  const given = Buffer.from(signature, "base64");
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    return "The token has an invalid signature.";
  const until = Number(expiry) * 1000;
  return until > now ? { path: pathOf(decodePercent(resource)), until } : "The token has expired.";
}
