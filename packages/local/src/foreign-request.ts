// Who may call a local server over HTTP: programs and pages of this machine. Any web page can have its browser send requests to 127.0.0.1.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";

/**
 * Whether the request is answered 403 because it is foreign: then nothing else is done about it.
 * @param ofAzure the names of the service whose place the server takes: nobody else can have them lead here
 */
export function refusesForeign(request: IncomingMessage, response: ServerResponse, ofAzure?: RegExp): boolean {
  const { host = "", origin } = request.headers;
  const refusal = foreignRequest(ofAzure?.test(host) ? { origin } : request.headers);
  if (refusal === undefined) return false;
  response.writeHead(403, { "content-type": "application/json" }).end(JSON.stringify({ error: refusal }));
  // What is left of the body is dropped, so that the client sees the answer.
  request.resume();
  return true;
}

/**
 * Why the request is refused; undefined where it is not. A foreign Host comes from a page whose name was made to lead here (DNS rebinding); a
 * foreign Origin from a page of another site, which browsers name with every request that changes something (Fetch standard).
 * @param forwarded the origin at which this port is forwarded to its owner's browser, as in GitHub Codespaces
 */
export function foreignRequest({ host, origin }: IncomingHttpHeaders, forwarded?: string): string | undefined {
  if (host !== undefined && !isThisMachine(host) && host !== hostOf(forwarded))
    return `This server does not answer for the host ${host}.`;
  if (origin !== undefined && hostOf(origin) !== host && origin !== forwarded)
    return `A page of ${origin} may not call this server.`;
  return undefined;
}

function isThisMachine(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i.test(host);
}

export function hostOf(origin: string | undefined): string | undefined {
  return (origin !== undefined && URL.parse(origin)?.host) || undefined;
}
