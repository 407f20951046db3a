// The Bicep holds together by its grammar and its names; compiled.test.ts asks the compiler.
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { declared, faultsIn, parse } from "./bicep.ts";

const root = join(import.meta.dirname, "../..");
const files = globSync("infra/**/*.bicep", { cwd: root }).sort();
const read = (file: string) => readFileSync(join(root, file), "utf8");

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "bicep-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(files)("%s: its syntax, its names and its calls of modules hold", (file) => {
  expect(faultsIn(join(root, file))).toEqual([]);
});

test.each(files)("%s: no key is read or written anywhere", (file) => {
  expect(read(file)).not.toMatch(/\blist\w*(Keys|Secrets|ConnectionStrings)?\s*\(|AccountKey|SharedAccessKey/);
});

test("each parameter of main.bicep can be set by azd", () => {
  const { parameters } = JSON.parse(read("infra/main.parameters.json")) as {
    parameters: Record<string, { value: string | Record<string, string> }>;
  };
  const { params } = declared(parse(read("infra/main.bicep")));
  expect(Object.keys(parameters)).toEqual(params.map(({ name }) => name));
  const given = Object.values(parameters).flatMap(({ value }) =>
    typeof value === "string" ? [value] : Object.values(value),
  );
  for (const value of given) expect(value).toMatch(/^\$\{[A-Z][A-Z_]+\}$/);
});

test("the choices that PSRule judges are parameters of main.bicep, with all that it asks for", () => {
  const given = [...read("infra/checks/production.bicepparam").matchAll(/^param (\w+) = /gm)].map(([, name]) => name);
  const { params } = declared(parse(read("infra/main.bicep")));
  const required = params.filter((param) => param.required).map(({ name }) => name);
  expect(params.map(({ name }) => name)).toEqual(expect.arrayContaining(given));
  expect(given).toEqual(expect.arrayContaining(required));
});

test("roles have the ids that Microsoft's list of built-in roles has", () => {
  expect(JSON.parse(read("infra/roles.json"))).toEqual(BUILT_IN);
});

test("each role that is named exists, and each that exists is named", () => {
  const named = new Set(
    files.flatMap((file) => [...read(file).matchAll(/\broles\.(?!json)(\w+)/g)].map(([, name = ""]) => name)),
  );
  expect([...named].sort()).toEqual(Object.keys(BUILT_IN).sort());
});

test("P17 API versions are stable, and one for each kind of resource", () => {
  const resources = files.flatMap((file) => declared(parse(read(file))).resources);
  const versions = new Map<string, Set<string>>();
  for (const resource of resources.filter((name) => name.includes("@"))) {
    const [type = "", version = ""] = resource.split("@");
    versions.set(type, new Set([...(versions.get(type) ?? []), version]));
    // Diagnostic settings have had no stable version with category groups. Microsoft Graph has v1.0 and beta.
    if (/^Microsoft\.Graph\/|^federatedIdentity/.test(type)) expect(version, type).toBe("v1.0");
    else if (type !== "Microsoft.Insights/diagnosticSettings") expect(version, type).toMatch(/^\d{4}-\d\d-\d\d$/);
  }
  for (const [type, found] of versions) expect([...found], type).toHaveLength(1);
});

test.each([
  ["param x string\noutput z string = '{x\n", "syntax"],
  ["param x string\nparam q string\noutput z string = q\n", "x is not used"],
  ["output z string = nowhere\n", "there is no nowhere"],
  ["output z string = conat('a', 'b')\n", "there is no function conat"],
  ["var x = [for item in [1]: itm]\noutput z array = x\n", "there is no itm"],
  ["var x = loadJsonContent('absent.json')\noutput z object = x\n", "there is no"],
  ["module m 'absent.bicep' = {\n  params: {}\n}\n", "there is no"],
  ["module m 'part.bicep' = {\n  params: {}\n}\n", "module m: name is not given"],
  ["module m 'part.bicep' = {\n  params: { name: 'a', weight: 1 }\n}\n", "module m: has no parameter weight"],
  ["param x {\n  a: string\n}\noutput z string = x.b\n", "x has no member b"],
  ["module m 'part.bicep' = {\n  params: { name: 'a', size: { wide: 1 } }\n}\n", "module m: size.high is not given"],
  [
    "module m 'part.bicep' = {\n  params: { name: 'a', size: { wide: 1, hi: 2 } }\n}\n",
    "module m: size has no member hi",
  ],
  [
    "module m 'part.bicep' = {\n  params: { name: 'a' }\n}\noutput z string = m.outputs.idd\n",
    "module m has no output idd",
  ],
])("planted %#: %s", (text, fault) => {
  writeFileSync(
    join(folder, "part.bicep"),
    "param name string\nparam size {\n  wide: int\n  high: int\n} = { wide: 1, high: 1 }\noutput id string = concat(name, string(size.wide * size.high))\n",
  );
  const faults = faultsIn(join(folder, "main.bicep"), text);
  expect(faults.join("\n")).toContain(fault);
});

/** learn.microsoft.com/azure/role-based-access-control/built-in-roles; the last two are Cosmos DB's own. */
const BUILT_IN = {
  storageBlobDataOwner: "b7e6dc6d-f1e8-4753-8033-0f276bb0955b",
  storageBlobDataContributor: "ba92f5b4-2d11-453d-a403-e96b0029c9fe",
  storageQueueDataContributor: "974c5e8b-45b9-4653-ba55-5f855dd0fb88",
  storageTableDataContributor: "0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3",
  serviceBusDataOwner: "090c5cfd-751d-490a-894a-3ce6f1109419",
  serviceBusDataReceiver: "4f6d3b9b-027b-4f4c-9142-0e5a2a2247e0",
  serviceBusDataSender: "69a216fc-b8fb-44d8-bc22-1f3c2cd27a39",
  monitoringMetricsPublisher: "3913510d-42f4-4e42-8a64-420c390055eb",
  durableTaskDataContributor: "0ad04412-c4d5-4796-b79c-f76d14c8d402",
  cosmosDataReader: "00000000-0000-0000-0000-000000000001",
  cosmosDataContributor: "00000000-0000-0000-0000-000000000002",
};
