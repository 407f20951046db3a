// Choices that Azure rejects, and what the template does about each; and the rights that it gives.
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { choicesTable } from "../../cli/docs/choices.ts";
import { business } from "../../shared/business.ts";
import { declared } from "./bicep.ts";
import { namedChoices } from "./deploy.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const main = read("infra/main.bicep");
const app = read("infra/app/function-app.bicep");
const bicep = globSync("infra/**/*.bicep", { cwd: root }).map((file) => ({ file, text: read(file) }));

/** A resource or module with its decorators. */
function block(text: string, name: string): string {
  const found = new RegExp(`((?:^@.*\\n)*)^(?:resource|module) ${name} [^]*?^(?:\\}|\\])$`, "m").exec(text);
  if (!found) throw new Error(`there is no ${name}`);
  return found[0];
}

test("changes to one Cosmos DB account come one after the other", () => {
  const access = read("infra/app/cosmos-access.bicep");
  expect(block(read("infra/app/cosmos.bicep"), "containers")).toContain("@batchSize(1)");
  for (const name of ["readsMetadata", "appWrites", "appAppends"])
    expect(block(access, name), name).toContain("@batchSize(1)");
  const waitsFor = (name: string, wanted: string) => expect(block(access, name), name).toContain(wanted);
  waitsFor("readsMetadata", "metadataReader.id");
  waitsFor("appWrites", "dependsOn: [readsMetadata]");
  waitsFor("appender", "dependsOn: [appWrites]");
  waitsFor("appAppends", "appender.id");
  waitsFor("developerReads", "dependsOn: [appAppends]");
  // After storage too: where two regions share the store, no account is made that would give a new identity time to spread.
  expect(block(main, "storeAccess")).toContain("dependsOn: [cosmos, packageStorage]");
});

test("of the audit log the app may add and read, and nothing more", () => {
  const access = read("infra/app/cosmos-access.bicep");
  const actions = [...block(access, "appender").matchAll(/'Microsoft\.DocumentDB\/databaseAccounts\/([^@\s]+)'/g)];
  expect(actions.map(([, action]) => action)).toEqual([
    "readMetadata",
    "sqlDatabases/containers/executeQuery",
    "sqlDatabases/containers/items/create",
    "sqlDatabases/containers/items/read",
  ]);
  expect(access).toContain("filter(entities.containers, container => !contains(entities.appendOnly, container.id))");
  const { containers, appendOnly } = JSON.parse(read("infra/entities/cosmos.json"));
  expect(appendOnly).toEqual(["audit"]);
  expect(containers.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(appendOnly));
});

test("the quarantine lets its messages go after 30 days", () => {
  const { queues } = JSON.parse(read("infra/entities/service-bus.json")) as {
    queues: { name: string; properties: Record<string, unknown> }[];
  };
  expect(queues.find(({ name }) => name === "quarantine")?.properties).toMatchObject({
    defaultMessageTimeToLive: "P30D",
    deadLetteringOnMessageExpiration: false,
  });
});

test("the app's own identity has no right over its package", () => {
  const storage = read("infra/app/package-storage.bicep");
  expect(declared(storage).params.map(({ name }) => name)).not.toContain("appPrincipalId");
  expect(storage.match(/principalId: (\w+)/g)).toEqual(["principalId: packagePrincipalId"]);
  expect(block(main, "packageStorage")).toContain("packagePrincipalId: identity.outputs.packagePrincipalId");
  expect(app).toContain("userAssignedIdentityResourceId: identity.packageId");
});

test("azd registers each provider of the template, and the one that a delegated subnet needs", () => {
  const types = bicep.flatMap(({ text }) => declared(text).resources).filter((type) => type.includes("@"));
  const namespaces = new Set(types.map((type) => type.split("/")[0] ?? ""));
  // Always registered; no provider; and what a subnet is delegated to.
  for (const own of ["Microsoft.Resources", "Microsoft.Authorization", "Microsoft.Graph"]) namespaces.delete(own);
  for (const name of [...namespaces]) if (!name.startsWith("Microsoft.")) namespaces.delete(name);
  namespaces.add(/serviceName: '([\w.]+)\//.exec(read("infra/app/network.bicep"))?.[1] ?? "");
  expect(JSON.parse(read("infra/providers.json"))).toEqual([...namespaces].sort());
});

test("private: every place that the app calls has its endpoint", () => {
  const network = read("infra/app/network.bicep");
  const groups = [...network.matchAll(/groupId: '(\w+)'/g)].map(([, group]) => group);
  expect(groups).toEqual(["blob", "blob", "queue", "table", "namespace", "Sql", "scheduler"]);
});

interface Hook {
  readonly posix: { readonly run: string };
  readonly windows: { readonly run: string };
}
interface AzureYaml {
  readonly hooks: Readonly<Record<string, Hook>>;
  readonly pipeline: { readonly variables: readonly string[] };
  readonly services: { readonly app: { readonly hooks: Readonly<Record<"prepackage", Hook>> } };
}
const azureYaml = parseYaml(read("azure.yaml")) as AzureYaml;

test("azd calls each hook on every system", () => {
  const { prepackage, ...others } = azureYaml.hooks;
  expect(Object.keys(others)).toEqual(["preprovision", "predeploy", "postdeploy"]);
  for (const [name, { posix, windows }] of Object.entries(others)) {
    for (const { run } of [posix, windows]) expect(run).toContain(`npm run node -- cli/azure-hook.ts ${name}`);
    // PowerShell goes on after a command that failed.
    expect(windows.run).toContain("{ npm ci; if (!$?) { exit 1 } }");
  }
  for (const { run } of [prepackage?.posix, prepackage?.windows].map((each) => each ?? { run: "" }))
    expect(run).not.toContain("npm run");
  expect(JSON.parse(read("package.json")).scripts["node"]).toBe("node -C sources");
});

test("on a fresh clone the libraries are installed once, before azd packages and provisions side by side", ({
  skip,
}) => {
  skip(process.platform === "win32", "the hooks are run by sh here");
  const folder = mkdtempSync(join(tmpdir(), "clone-"));
  try {
    // An npm that notes how it is called, and that ends an installation as npm does: with node_modules/.package-lock.json.
    const npm =
      '#!/bin/sh\necho "$@" >> calls\n[ "$1" != ci ] || { mkdir -p node_modules && touch node_modules/.package-lock.json; }\n';
    writeFileSync(join(folder, "npm"), npm, { mode: 0o755 });
    writeFileSync(join(folder, "package-lock.json"), "{}");
    utimesSync(join(folder, "package-lock.json"), 1, 1);
    const run = (command: string) =>
      spawnSync("sh", ["-c", command], { cwd: folder, env: { PATH: `${folder}:${process.env["PATH"]}` } }).status;
    const { prepackage, ...others } = azureYaml.hooks;
    const hooks = [prepackage, ...Object.values(others), azureYaml.services.app.hooks.prepackage];
    for (const hook of hooks) expect(run(hook?.posix.run ?? "false")).toBe(0);
    expect(readFileSync(join(folder, "calls"), "utf8").trim().split("\n")).toEqual([
      "ci",
      ...Object.keys(others).map((name) => `run node -- cli/azure-hook.ts ${name}`),
      "run package",
    ]);
    // One that broke off is done again, and so is one from before a pull.
    const installed = join(folder, "node_modules/.package-lock.json");
    for (const spoil of [() => rmSync(installed), () => utimesSync(installed, 0, 0)]) {
      spoil();
      writeFileSync(join(folder, "calls"), "");
      for (const hook of hooks) expect(run(hook?.posix.run ?? "false")).toBe(0);
      expect(readFileSync(join(folder, "calls"), "utf8").match(/^ci$/gm)).toHaveLength(1);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("azd is new enough: it deploys a package as it is, and azd down leaves the first region's group alone", () => {
  for (const file of ["azure.yaml", "templates/app/azure.yaml"])
    expect(parseYaml(read(file)).requiredVersions, file).toEqual({ azd: ">= 1.24.1" });
  expect(read("docs/how-to/deploy.md")).toContain("1.24.1 or newer");
});

test("each choice goes into the pipeline, and the site has it on the operator's page, as git has what is on it", () => {
  const choices = [...read("infra/main.parameters.json").matchAll(/"\$\{(\w+)\}"/g)]
    .map(([, name = ""]) => name)
    .filter((name) => !name.startsWith("AZURE_"));
  expect(azureYaml.pipeline.variables).toEqual(choices);
  const page = read("docs/reference/settings.md").split("\n## Choices\n")[1]?.split("\n## ")[0] ?? "";
  for (const name of choices) expect(`${page}\n${choicesTable()}`, name).toContain(`| \`${name}\` |`);
  const named = [...page.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(15);
  expect(choices).toEqual(expect.arrayContaining(named));
});

test("a choice of azd is a parameter of Bicep in lower camel case, as the page for Bicep alone says", () => {
  const { parameters } = JSON.parse(read("infra/main.parameters.json")) as {
    parameters: Record<string, { value: unknown }>;
  };
  for (const [name, { value }] of Object.entries(parameters))
    if (typeof value === "string" && !value.startsWith("${AZURE_"))
      expect(value, name).toBe(`\${${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}}`);
  expect(read("docs/how-to/deploy-bicep.md")).toContain("`zoneRedundant = true` for `ZONE_REDUNDANT=true`");
  // azd would take it in the place of its own parameters.
  expect(globSync("infra/*.bicepparam", { cwd: root })).toEqual([]);
});

test("the sets of choices name parameters that there are", () => {
  const known = [...read("infra/main.parameters.json").matchAll(/"\$\{(\w+)\}"/g)].map(([, name]) => name);
  for (const [name, choices] of namedChoices())
    expect(known, name).toEqual(expect.arrayContaining(Object.keys(choices)));
  const functions = JSON.parse(namedChoices().get("production")?.["ALWAYS_READY"] ?? "{}") as object;
  const sources = globSync("functions/*.ts", { cwd: root }).map(read).join("\n");
  const agents = [...business.agentsAskedByQueue].map((agent) => `${agent}QueueAgent`);
  for (const name of Object.keys(functions).filter((each) => each !== "durable"))
    expect(agents.includes(name) || sources.includes(`"${name}"`), name).toBe(true);
});

interface Registration {
  readonly scope: { readonly value: string };
  readonly roles: readonly { readonly value: string }[];
  readonly clients: readonly { readonly appId: string }[];
}

test("sign-in: no caller's token is kept, and who could not sign in is logged", () => {
  expect(block(app, "toWorkspace")).toMatch(
    /logs: empty\(authClientId\) \? \[\] : \[\{ category: 'AppServiceAuthenticationLogs', enabled: true \}\]/,
  );
  expect(app.match(/tokenStore: \{[^}]*\}/g)).toEqual(["tokenStore: { enabled: false }"]);
});

test("what the template leaves open is said: telemetry's public address, and all that the pipeline's identity could do", () => {
  const accepted = read("docs/explanation/threat-model.md").split("## What is accepted")[1] ?? "";
  expect(accepted).toContain("**Telemetry goes to a public address**");
  expect(accepted).toContain("**The pipeline's identity can do everything in its subscription**");
  const pipelines = read("docs/how-to/pipelines.md");
  for (const said of ["It needs *Contributor* on the subscription", "could give"]) expect(pipelines).toContain(said);
});

test("sign-in: tokens of version 2, a scope, clients that need no consent, roles as the code has them; commands do the same", () => {
  const module = read("infra/app/sign-in.bicep");
  const registration = JSON.parse(read("infra/sign-in/registration.json")) as Registration;
  for (const part of [
    "requestedAccessTokenVersion: 2",
    "registration.scope",
    "registration.clients",
    "registration.roles",
  ])
    expect(module).toContain(part);
  const access = read("packages/core/src/functions/sign-in.ts");
  for (const { value } of registration.roles) expect(access).toContain(`"${value}"`);
  expect(registration.clients.map(({ appId }) => appId)).toContain("04b07795-8ddb-461a-bbee-02f9e1bf7b46");
  const recipe = read("docs/how-to/identity.md").split("\n## Signing in\n")[1]?.split("\n## ")[0] ?? "";
  for (const part of ["requestedAccessTokenVersion", "preAuthorizedApplications", "infra/sign-in/registration.json"])
    expect(recipe).toContain(part);
});

test("sign-in: the commands' registration is the module's", ({ skip }) => {
  skip(spawnSync("jq", ["--version"]).status !== 0, "there is no jq here");
  const run = (clients: string) => {
    const given = {
      id: "app",
      scope: "scope-id",
      read: "read-id",
      operate: "operate-id",
      data: "data-id",
      submit: "submit-id",
      clients,
    };
    const args = Object.entries(given).flatMap(([name, value]) => ["--arg", name, value]);
    const words = ["--slurpfile", "words", join(root, "infra/words.json")];
    const [script, input] = ["registration.jq", "registration.json"].map((file) => join(root, "infra/sign-in", file));
    const files = [...words, "-f", script ?? "", input ?? ""];
    return JSON.parse(spawnSync("jq", [...args, ...files], { encoding: "utf8" }).stdout);
  };
  const registration = JSON.parse(read("infra/sign-in/registration.json")) as Registration;
  const first = run("no");
  expect(first.api.preAuthorizedApplications).toEqual([]);
  expect(first.api.requestedAccessTokenVersion).toBe(2);
  expect(first.api.oauth2PermissionScopes).toMatchObject([{ id: "scope-id", value: registration.scope.value }]);
  expect(first.appRoles).toMatchObject([
    { id: "read-id", value: "Jobs.Read", displayName: "Read orders", description: "List and inspect orders" },
    { id: "operate-id", value: "Jobs.Operate", isEnabled: true },
    { id: "data-id", value: "Jobs.ReadData", displayName: "Read orders' secret data", isEnabled: true },
    { id: "submit-id", value: "Jobs.Submit", isEnabled: true },
  ]);
  const { preAuthorizedApplications } = run("yes").api;
  expect(preAuthorizedApplications).toEqual(
    registration.clients.map(({ appId }) => ({ appId, delegatedPermissionIds: ["scope-id"] })),
  );
});
