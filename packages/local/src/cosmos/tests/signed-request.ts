// A signed request without an SDK: for what the JavaScript SDK would not send, and other clients do.
import { createHmac } from "node:crypto";
import { EMULATOR_KEY } from "../resources/signature.ts";

/** Signs the names in the path, or `signedAs` where a client signs something else. */
export function sendSigned(
  { endpoint }: { readonly endpoint: string },
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string | Buffer,
  signedAs?: string,
): Promise<Response> {
  const segments = path.split("/");
  const isFeed = segments.length % 2 === 1;
  const type = segments.at(isFeed ? -1 : -2) ?? "";
  const link = signedAs ?? (isFeed ? segments.slice(0, -1) : segments).join("/");
  const date = new Date().toUTCString();
  const text = `${method.toLowerCase()}\n${type}\n${link}\n${date.toLowerCase()}\n\n`;
  const sig = createHmac("sha256", Buffer.from(EMULATOR_KEY, "base64")).update(text).digest("base64");
  const authorization = encodeURIComponent(`type=master&ver=1.0&sig=${sig}`);
  return fetch(endpoint + path, {
    method,
    headers: { authorization, "x-ms-date": date, ...headers },
    ...(body === undefined ? {} : { body }),
  });
}
