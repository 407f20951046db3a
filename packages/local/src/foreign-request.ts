// Who may call a local server over HTTP: programs and pages of this machine. Any web page can have its browser send requests to 127.0.0.1.
import type { IncomingHttpHeaders } from "node:http";

/**
 * Why the request is refused; undefined where it is not. A foreign Host comes from a page whose name was made to lead here (DNS rebinding); a
 * foreign Origin from a page of another site, which browsers name with every request that changes something (Fetch standard).
 */
export function foreignRequest({ host, origin }: IncomingHttpHeaders): string | undefined {
  if (host !== undefined && !isThisMachine(host)) return `This server does not answer for the host ${host}.`;
  if (origin !== undefined && hostOf(origin) !== host) return `A page of ${origin} may not call this server.`;
  return undefined;
}

function isThisMachine(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i.test(host);
}

function hostOf(origin: string): string | undefined {
  return URL.parse(origin)?.host || undefined;
}
