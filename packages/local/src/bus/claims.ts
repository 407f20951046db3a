// Claims-based security: checks the shared access signature that a client puts to `$cbs` before it opens links.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Response } from "./request-link.ts";
import type { DecodedMessage } from "./rhea-internals.ts";

export const KEY_NAME = "RootManageSharedAccessKey";
/** The key of Microsoft's emulator, known to everybody: the broker listens on this machine only. */
export const KEY = "SAS_KEY_VALUE";

const ACCEPTED = 202;
const UNAUTHORIZED = 401;

/** The same key as user and password of SASL PLAIN, which clients without `$cbs` use. */
export function isKey(name: string, key: string): boolean {
  return name === KEY_NAME && key === KEY;
}

export function answerClaim(request: DecodedMessage, now: number): Response {
  const operation = request.application_properties?.["operation"];
  const token = typeof request.body === "string" ? request.body : "";
  const fault =
    operation === "put-token" ? findTokenFault(token, now) : `The operation ${String(operation)} is unknown.`;
  return {
    properties: {
      "status-code": fault ? UNAUTHORIZED : ACCEPTED,
      "status-description": fault ?? "Accepted",
    },
  };
}

/** A text that is not encoded properly is no signature. */
function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

/** `undefined` for a good token. The signature is base64 of HMAC-SHA256(key, resource as sent + "\n" + expiry in seconds). */
export function findTokenFault(token: string, now: number): string | undefined {
  const [scheme, fields = ""] = token.split(" ", 2);
  if (scheme !== "SharedAccessSignature") return "The token is no shared access signature.";
  const field = new Map(
    fields.split("&").map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  );
  const expiry = field.get("se") ?? "";
  const signature = decodePercent(field.get("sig") ?? "");
  const expected = createHmac("sha256", KEY)
    .update(`${field.get("sr") ?? ""}\n${expiry}`)
    .digest();
  const given = Buffer.from(signature, "base64");
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    return "The token has an invalid signature.";
  return Number(expiry) * 1000 > now ? undefined : "The token has expired.";
}
