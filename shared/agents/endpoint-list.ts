// Reads where an agent's service answers from a setting: `https://one.example;capacity=20, https://other.example`.
import type { Endpoint } from "./agent.ts";

/** Calls that an endpoint may have under way at once from one process, where the setting does not say. */
const USUAL_CAPACITY = 64;

/** Every endpoint that could be read, and all that is wrong with the others, in words. */
export function parseEndpoints(text: string): { readonly found: readonly Endpoint[]; readonly faults: string[] } {
  const found: Endpoint[] = [];
  const faults: string[] = [];
  for (const entry of text.split(",").map((part) => part.trim())) {
    const [address = "", ...options] = entry.split(";").map((part) => part.trim());
    const url = baseUrl(address);
    if (!url) faults.push(`"${address}" must be an http or https URL without query or fragment`);
    else if (found.some((other) => other.url === url)) faults.push(`${url} is named twice`);
    let capacity = USUAL_CAPACITY;
    for (const option of options) {
      const [, digits] = /^capacity=(\d{1,6})$/.exec(option) ?? [];
      if (Number(digits) > 0) capacity = Number(digits);
      else faults.push(`"${option}" of "${address}" must be capacity= and a whole number above 0`);
    }
    if (url) found.push({ url, capacity });
  }
  return { found, faults };
}

/** With a slash at its end, so that the paths of the service's resources can follow. */
function baseUrl(address: string): string | undefined {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") return undefined;
  return url.href.endsWith("/") ? url.href : `${url.href}/`;
}
