import { describe, expect, test } from "vitest";
import { accessTo, isOwnOrigin, seesSecrets } from "./sign-in.ts";

const principal = (claims: { typ: string; val: string }[], more: object = {}) =>
  Buffer.from(JSON.stringify({ auth_typ: "aad", claims, ...more })).toString("base64");
const headersOf = (entries: Record<string, string>) => new Headers(entries);
const signedIn = (...roles: string[]) =>
  headersOf({
    "x-ms-client-principal": principal(roles.map((val) => ({ typ: "roles", val }))),
    "x-ms-client-principal-name": "ada@example.com",
  });

describe("with Entra ID", () => {
  test.each([
    ["Jobs.Read", ["Jobs.Read"], "granted"],
    ["Jobs.Read", ["Jobs.Operate"], "granted"],
    ["Jobs.Operate", ["Jobs.Operate"], "granted"],
    ["Jobs.Operate", ["Jobs.Read"], 403],
    ["Jobs.Read", [], 403],
    ["Jobs.Read", ["jobs.read"], 403],
  ] as const)("%s with the roles %j: %s", (role, roles, wanted) => {
    const access = accessTo(role, signedIn(...roles), "entra");
    expect(access.kind === "granted" ? "granted" : access.status).toBe(wanted);
    if (access.kind === "granted") expect(access.operator).toBe("ada@example.com");
  });

  test("the claim's long name, and the one that the principal says its roles have", () => {
    const long = "http://schemas.microsoft.com/ws/2008/06/identity/claims/role";
    const one = headersOf({ "x-ms-client-principal": principal([{ typ: long, val: "Jobs.Read" }]) });
    const other = headersOf({
      "x-ms-client-principal": principal([{ typ: "r", val: "Jobs.Read" }], { role_typ: "r" }),
    });
    for (const headers of [one, other]) expect(accessTo("Jobs.Read", headers, "entra").kind).toBe("granted");
  });

  test.each([
    ["nothing", {}],
    ["a name alone", { "x-ms-client-principal-name": "mallory" }],
    ["what is no principal", { "x-ms-client-principal": "not base64 of JSON" }],
  ])("%s is nobody", (_, headers) =>
    expect(accessTo("Jobs.Read", headersOf(headers), "entra")).toMatchObject({ kind: "rejected", status: 401 }),
  );
});

test.each([
  ["a right-to-left override", "ada\u202enimda", "adanimda"],
  ["isolates and marks", "\u2066a\u2069d\u200ba\u200f", "ada"],
  ["a line separator, a soft hyphen and a zero-width no-break space", "a\u2028d\u00ada\ufeff", "ada"],
])("a name is recorded without %s, whichever header it is from", (_, given, shown) => {
  const granted = { kind: "granted", operator: shown };
  for (const header of ["x-ms-client-principal-name", "x-ms-client-principal-id"]) {
    const claims = principal([{ typ: "roles", val: "Jobs.Read" }]);
    const headers = { get: (name: string) => ({ "x-ms-client-principal": claims, [header]: given })[name] ?? null };
    expect(accessTo("Jobs.Read", headers, "entra")).toEqual(granted);
  }
});

test("with a function key no name is believed; on one's own machine it is", () => {
  const headers = headersOf({ "x-ms-client-principal-name": "ada\u0085@example.com" });
  expect(accessTo("Jobs.Operate", headers, "key")).toEqual({
    kind: "granted",
    operator: "whoever has the function key",
  });
  expect(accessTo("Jobs.Operate", headers, "development")).toEqual({ kind: "granted", operator: "ada@example.com" });
  expect(accessTo("Jobs.Operate", headersOf({}), "development")).toEqual({
    kind: "granted",
    operator: "local-operator",
  });
});

test("secrets are shown to the role that may see them, and not to whoever has the function key", () => {
  expect(accessTo("Jobs.ReadData", headersOf({}), "key")).toMatchObject({ kind: "rejected", status: 403 });
  for (const headers of [headersOf({}), signedIn("Jobs.ReadData")]) expect(seesSecrets(headers, "key")).toBe(false);
  expect(seesSecrets(signedIn("Jobs.ReadData"), "entra")).toBe(true);
  expect(seesSecrets(signedIn("Jobs.Operate"), "entra")).toBe(false);
});

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
])("a change asked for by %s", (_, headers, own) => {
  expect(isOwnOrigin(new Headers({ ...HOST, ...headers }))).toBe(own);
});
