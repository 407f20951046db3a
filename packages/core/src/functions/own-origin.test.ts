// Which requests that change something are taken from a browser.
import { expect, test } from "vitest";
import { isOwnOrigin } from "./own-origin.ts";

const HOST = { host: "jobs.example" };

test.each([
  ["a script, which sends no origin", {}, true],
  ["a page of this site", { origin: "https://jobs.example", "sec-fetch-site": "same-origin" }, true],
  ["a page of this site behind a front end", { origin: "https://a.example", "x-forwarded-host": "a.example" }, true],
  ["a page of another site", { origin: "https://evil.example" }, false],
  ["a page without an origin of its own, as in a sandboxed frame", { origin: "null" }, false],
  ["another port of the same host", { origin: "https://jobs.example:8443" }, false],
  ["a browser that names another site", { "sec-fetch-site": "cross-site" }, false],
  ["a page of a neighbour domain", { "sec-fetch-site": "same-site" }, false],
])("%s", (_, headers, own) => {
  expect(isOwnOrigin(new Headers({ ...HOST, ...headers }))).toBe(own);
});
