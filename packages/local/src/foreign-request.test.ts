// Which requests a local server takes, by their headers.
import { expect, test } from "vitest";
import { foreignRequest } from "./foreign-request.ts";

const here = "127.0.0.1:7071";

test.each([
  { host: here },
  { host: "localhost:7071" },
  { host: "[::1]:7071" },
  { host: "127.0.0.1" },
  // HTTP/1.0, as of a probe.
  {},
  { host: here, origin: `http://${here}` },
])("%j is from this machine", (headers) => expect(foreignRequest(headers)).toBeUndefined());

test.each([
  { host: "rebound.example:7071" },
  { host: "127.0.0.1.example:7071" },
  { host: "localhost.example" },
  { host: "user@127.0.0.1" },
  { host: "10.0.0.7:7071" },
  { host: "" },
  { host: here, origin: "https://shop.example" },
  { host: here, origin: "http://localhost:7071" },
  { host: here, origin: "http://127.0.0.1:3000" },
  { host: here, origin: "null" },
  { host: here, origin: "" },
  { origin: "https://shop.example" },
])("%j is foreign", (headers) => expect(foreignRequest(headers)).toEqual(expect.any(String)));

const forwarded = "https://name-7071.app.github.dev";

test.each([
  { host: here, origin: forwarded },
  { host: "name-7071.app.github.dev", origin: forwarded },
  { host: "name-7071.app.github.dev" },
])("%j is its owner's, where the port is forwarded", (headers) => {
  expect(foreignRequest(headers, forwarded)).toBeUndefined();
  expect(foreignRequest(headers)).toEqual(expect.any(String));
});

test.each([
  { host: here, origin: "https://other-7071.app.github.dev" },
  { host: here, origin: "http://name-7071.app.github.dev" },
  { host: "other-7071.app.github.dev", origin: forwarded },
  { host: "other-7071.app.github.dev" },
])("%j is foreign there too", (headers) => expect(foreignRequest(headers, forwarded)).toEqual(expect.any(String)));
