// The operator's API of a running app, for the command line: a rejection is an error that says why.

export interface App {
  get<T>(path: string): Promise<T>;
  /** @param etag of what was looked at */
  post<T>(path: string, body: unknown, etag?: string): Promise<T>;
}

export interface AppAddress {
  readonly url: string;
  /** A function key; an app on this machine asks for none. */
  readonly key?: string | undefined;
  /** Of Entra ID, where people sign in. */
  readonly token?: string | undefined;
}

export function openApp({ url, key, token }: AppAddress): App {
  const headers = {
    "content-type": "application/json",
    ...(key !== undefined && { "x-functions-key": key }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };

  async function ask<T>(path: string, options: RequestInit): Promise<T> {
    const address = new URL(`api/${path}`, url.endsWith("/") ? url : `${url}/`);
    const response = await fetch(address, { ...options, redirect: "manual" }).catch((cause: unknown) => {
      throw new Error(`No app answers at ${url}: start it with npm start, or name another with --app URL.`, { cause });
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as T;
    throw new Error(`${response.status}: ${faultOf(text) || response.statusText || "the app gave no reason"}`);
  }

  return {
    get: (path) => ask(path, { headers }),
    post: (path, body, etag) =>
      ask(path, {
        method: "POST",
        headers: { ...headers, ...(etag !== undefined && { "if-match": etag }) },
        body: JSON.stringify(body),
      }),
  };
}

function faultOf(text: string): string {
  try {
    const { reason, error, faults = [] } = JSON.parse(text) as { reason?: string; error?: string; faults?: string[] };
    return [reason ?? error ?? "", ...faults].filter(Boolean).join("\n  ");
  } catch {
    return "";
  }
}

/** Members that are not given are left out. */
export function queryOf(given: { readonly [name: string]: string | number | undefined }): string {
  const set = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) set.set(name, String(value));
  return set.size === 0 ? "" : `?${set}`;
}
