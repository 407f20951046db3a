// Whether a request comes from a page of this site: a page of another site must not act in a signed-in operator's name.

interface Headers {
  get(name: string): string | null;
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
