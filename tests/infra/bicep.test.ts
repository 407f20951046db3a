// What is not the compiler's to say of the Bicep (compiled.test.ts): no keys, Microsoft's roles, stable versions, and parameters that azd sets.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { declared } from "./bicep.ts";

const root = join(import.meta.dirname, "../..");
const files = globSync("infra/**/*.bicep", { cwd: root }).sort();
const read = (file: string) => readFileSync(join(root, file), "utf8");

test.each(files)("%s: no key is read or written anywhere", (file) => {
  expect(read(file)).not.toMatch(/\blist\w*(Keys|Secrets|ConnectionStrings)?\s*\(|AccountKey|SharedAccessKey/);
});

test("each parameter of main.bicep can be set by azd", () => {
  const { parameters } = JSON.parse(read("infra/main.parameters.json")) as {
    parameters: Record<string, { value: string | Record<string, string> }>;
  };
  const { params } = declared(read("infra/main.bicep"));
  expect(Object.keys(parameters)).toEqual(params.map(({ name }) => name));
  const given = Object.values(parameters).flatMap(({ value }) =>
    typeof value === "string" ? [value] : Object.values(value),
  );
  for (const value of given) expect(value).toMatch(/^\$\{[A-Z][A-Z_]+\}$/);
});

test("the choices that PSRule judges are parameters of main.bicep, with all that it asks for", () => {
  const given = [...read("infra/checks/production.bicepparam").matchAll(/^param (\w+) = /gm)].map(([, name]) => name);
  const { params } = declared(read("infra/main.bicep"));
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
  const resources = files.flatMap((file) => declared(read(file)).resources);
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
