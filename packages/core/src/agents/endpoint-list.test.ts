// The setting that names an agent's endpoints: what it says, and that every fault is named.
import { expect, test } from "vitest";
import { parseEndpoints } from "./endpoint-list.ts";

test("P19 URLs with and without a capacity", () => {
  expect(parseEndpoints("http://127.0.0.1:7080, https://two.example/api;capacity=8")).toEqual({
    found: [
      { url: "http://127.0.0.1:7080/", capacity: 64 },
      { url: "https://two.example/api/", capacity: 8 },
    ],
    faults: [],
  });
});

test("ways to sign in", () => {
  expect(
    parseEndpoints(
      "https://a.example;header:X-Api-Key=PaymentKey;capacity=2, https://b.example;token:api://b/.default",
    ),
  ).toEqual({
    found: [
      {
        url: "https://a.example/",
        capacity: 2,
        authentication: { kind: "header", header: "x-api-key", setting: "PaymentKey" },
      },
      { url: "https://b.example/", capacity: 64, authentication: { kind: "token", scope: "api://b/.default" } },
    ],
    faults: [],
  });
});

test.each(["http://localhost:1", "http://127.0.0.1", "http://127.1.2.3:7", "http://[::1]:7080"])(
  "%s is this machine, and needs no https",
  (text) => {
    expect(parseEndpoints(text)).toMatchObject({ found: [{ url: `${text}/` }], faults: [] });
  },
);

test.each([
  ["", ['"" must be an https URL']],
  ["https://one.example,", ['"" must be an https URL']],
  [
    "ftp://one.example, nowhere, https://two.example?x=1",
    ['"ftp://one.example" must', '"nowhere" must', '"https://two.example?…" must'],
  ],
  ["https://one.example,https://one.example/", ["https://one.example/ is named twice"]],
  ["https://one.example;capacity=0;colour=red", ['"capacity=0" of "https://one.example"', '"colour=…" of']],
  ["https://one.example;capacity=1.5, x;capacity=", ['"capacity=1.5" of', '"x" must', '"capacity=" of "x"']],
  ["http://one.example", ['"http://one.example" must be https']],
  ["http://localhost.example, http://127.0.0.1.example", ["must be https", "must be https"]],
  ["https://me:secret@one.example", ['"https://…@one.example" must not name a user']],
  ["https://me@one.example", ["must not name a user"]],
  ["https://one.example;header:x y=Key;header:x=", ['"header:x y=…" of', '"header:x=" of']],
  ["https://one.example;header:Host=Key;token:", ['"header:Host=…" of', '"token:" of']],
  // Whoever writes the key itself where it does not belong finds it in no log.
  ["https://one.example/?code=secret==", ['"https://one.example/?…" must be an https URL without query']],
  ["https://one.example;header:X-Key=a-secret, https://two.example;secret key", ['"header:X-Key=…" of', '"…" of']],
  ["https://one.example;token:a/.default;header:x=Key", ["is a second way to sign in"]],
])("P19 all faults of %j are named", (text, named) => {
  const { faults } = parseEndpoints(text);
  expect(faults).toHaveLength(named.length);
  for (const [index, words] of named.entries()) expect(faults[index]).toContain(words);
  expect(faults.join()).not.toContain("secret");
});
