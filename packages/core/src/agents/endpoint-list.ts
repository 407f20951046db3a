// Reads the addresses of an agent's service, and the app's authentication at them, from a setting:
// `https://one.example;capacity=20;header:x-api-key=PaymentKey, https://other.example;token:api://payment/.default`.
import type { Authentication, Endpoint } from "./agent.ts";

/** The number of concurrent calls to an endpoint from one process, if the setting does not contain one. */
const USUAL_CAPACITY = 64;

/** Headers that the app or HTTP itself sets. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "content-type",
  "host",
  "idempotency-key",
  "traceparent",
  "transfer-encoding",
]);

interface Options {
  capacity?: number;
  authentication?: Authentication;
}

/** Every endpoint that could be read, and all faults of the others, as text. */
export function parseEndpoints(text: string): { readonly found: readonly Endpoint[]; readonly faults: string[] } {
  const found: Endpoint[] = [];
  const faults: string[] = [];
  for (const entry of text.split(",").map((part) => part.trim())) {
    const [address = "", ...options] = entry.split(";").map((part) => part.trim());
    const name = `"${withoutSecrets(address)}"`;
    const url = URL.parse(address);
    const fault = url ? addressFault(url) : NO_URL;
    if (fault) faults.push(`${name} ${fault}`);
    const read: Options = {};
    for (const option of options) {
      const wrong = readOption(option, read);
      if (wrong) faults.push(`"${withoutValue(option)}" of ${name} ${wrong}`);
    }
    if (!url || fault) continue;
    // The paths of the service's resources follow.
    const base = url.href.endsWith("/") ? url.href : `${url.href}/`;
    if (found.some((other) => other.url === base)) faults.push(`${base} is named twice`);
    found.push({ capacity: USUAL_CAPACITY, ...read, url: base });
  }
  return { found, faults };
}

const NO_URL = "must be an https URL without query or fragment";

function addressFault(url: URL): string | undefined {
  if (!/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") return NO_URL;
  // It would be in records and logs with the address.
  if (url.username !== "" || url.password !== "") return "must not name a user: use header: or token:";
  return transportFault(url);
}

/** Requests to another machine must be encrypted, and their receiver authenticated: by https. */
export function transportFault(url: URL): string | undefined {
  return url.protocol === "https:" || isThisMachine(url.hostname)
    ? undefined
    : "must be https, for it is not this machine";
}

function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
}

/** Reads an option, or returns its fault. */
function readOption(option: string, read: Options): string | undefined {
  const [, digits] = /^capacity=(\d{1,6})$/.exec(option) ?? [];
  if (Number(digits) > 0) {
    read.capacity = Number(digits);
    return undefined;
  }
  const authentication = authenticationIn(option);
  if (!authentication) {
    return "must be capacity= and a whole number above 0, header:NAME=SETTING or token:SCOPE";
  }
  if (read.authentication) return "is a second way to sign in";
  if (authentication.kind === "header" && OWN_HEADERS.has(authentication.header)) {
    return "names a header that the app sets itself";
  }
  read.authentication = authentication;
  return undefined;
}

function authenticationIn(option: string): Authentication | undefined {
  // RFC 9110 section 5.6.2: the characters of a header's name.
  const [, header, setting] = /^header:([!#$%&'*+.^_`|~0-9A-Za-z-]+)=(\w+)$/.exec(option) ?? [];
  if (header && setting) return { kind: "header", header: header.toLowerCase(), setting };
  const [, scope] = /^token:([\x21-\x7e]+)$/.exec(option) ?? [];
  return scope ? { kind: "token", scope } : undefined;
}

/** The part of an address that the error may show: not a user, and no key in a query. */
function withoutSecrets(address: string): string {
  return address.replace(/\/\/.*@/, "//…@").replace(/([?#]).+$/, "$1…");
}

/** Somebody may have written the key itself where the name of its setting belongs. */
function withoutValue(option: string): string {
  return option.startsWith("capacity=") ? option : option.replace(/(^|[=:])[^=:]+$/, "$1…");
}
