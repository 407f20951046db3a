// Unique secrets, and a service that repeats all that it was told. A secret in another form is not found: docs/explanation/threat-model.md.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { expect } from "vitest";
import { WITH_KEY } from "./host-key.ts";

export function makeCanary(): string {
  return `tok-${randomUUID()}`;
}

/** A spreadsheet would run the one, and who reads a log would take the other for an entry of its own. */
export const ATTACKS = {
  formula: '=HYPERLINK("http://evil.example")',
  line: "00:00:00.000 info  host: forged",
} as const;

/** @param place for whoever reads the failure */
export function expectNone(text: string, secrets: Iterable<string>, place: string): void {
  // JSON escapes what was escaped before.
  const plain = text.replaceAll("\\\\", "\\");
  for (const secret of secrets) expect(plain.includes(secret), `${secret} in ${place}`).toBe(false);
}

/**
 * Every HTTP route of the app but that of reports and the console's files, as the host lists them: a new one is tried by itself.
 * @param named values of its parameters; `queue}/{sequenceNumber` names two of them together. Each that is not named is itself.
 */
export async function pathsOf(
  host: string,
  named: { readonly [parameter: string]: readonly string[] },
): Promise<readonly string[]> {
  const listed = (await (await fetch(`${host}/admin/functions`, { headers: WITH_KEY })).json()) as {
    invokeUrlTemplate?: string;
  }[];
  const paths = listed.flatMap(({ invokeUrlTemplate: url }) => (url ? [url.slice(host.length + 1)] : []));
  const own = paths.filter((path) => path.startsWith("api/") && !path.startsWith("api/completions"));
  return [...new Set(own.flatMap((path) => filled(path, named)))];
}

function filled(template: string, named: { readonly [parameter: string]: readonly string[] }): string[] {
  const parameter = Object.keys(named).find((name) => template.includes(`{${name}}`));
  if (parameter === undefined) return [template.replace(/\{\w+\}/g, "x")];
  return (named[parameter] ?? []).flatMap((value) => filled(template.replace(`{${parameter}}`, value), named));
}

export interface TalkativeService extends AsyncDisposable {
  readonly url: string;
  /** The addresses for reports that it was given, by order. */
  readonly reportTo: ReadonlyMap<string, string>;
}

/**
 * Payment and shipping. It accepts `waits-…` for later, is away for `away-…`, answers nothing that can be read for `odd-…`, and rejects all other
 * orders.
 */
export async function startTalkativeService(): Promise<TalkativeService> {
  const reportTo = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString("utf8") || "{}";
    const { orderId = "", token = "", reportTo: url = "" } = JSON.parse(body) as Record<string, string>;
    if (url) reportTo.set(orderId, url);
    const message = `${ATTACKS.formula}\r\n${ATTACKS.line}\r${ATTACKS.line}\n${token} of ${url}: ${encodeURIComponent(url)}`;
    const status = statusFor(orderId, url, request.url?.endsWith("/charges") === true);
    const answer = { id: `S-${url}`.slice(0, 200), code: token, message, [token || "none"]: message };
    response.writeHead(status, { "content-type": "application/json", "x-token": encodeURIComponent(token) });
    response.end(orderId.startsWith("odd-") ? message : JSON.stringify(answer));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/`,
    reportTo,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function statusFor(orderId: string, url: string, isCharge: boolean): number {
  if (orderId.startsWith("away-")) return 503;
  if (orderId.startsWith("odd-")) return 200;
  if (url !== "" && orderId.startsWith("waits-")) return 202;
  return isCharge ? 402 : 422;
}

/** The nonce in an address for reports. */
export function nonceOf(url: string): string {
  const address = Buffer.from(url.slice(url.lastIndexOf("/") + 1), "base64url").toString("utf8");
  return (JSON.parse(address) as { nonce: string }).nonce;
}
