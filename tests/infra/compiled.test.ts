// Bicep's own compiler and evaluation: each template builds without a warning, and each set of choices comes to what it should.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DEPLOYER } from "./answered.ts";
import { SETS } from "./choice-sets.ts";
import type { Template } from "./compiler.ts";
import { bicep, deploy, given, read } from "./deploy.ts";

const root = join(import.meta.dirname, "../..");
const WITHOUT_A_WARNING = { isDone: true, diagnostics: [] };

test("main.bicep and each of its modules build without a warning of the compiler or the linter", async () => {
  expect(await (await bicep()).build("infra/main.bicep")).toEqual(WITHOUT_A_WARNING);
  const main = read("infra/main.bicep");
  for (const file of globSync("app/*.bicep", { cwd: join(root, "infra") })) expect(main).toContain(`'${file}'`);
});

test.each(globSync("infra/**/*.bicepparam", { cwd: root }))("%s builds without a warning", async (file) => {
  expect(await (await bicep()).build(file)).toEqual(WITHOUT_A_WARNING);
});

/** As azd gives it; deployer() is not evaluated. */
const DEPLOYS = { AZURE_PRINCIPAL_ID: DEPLOYER };

/** Made by the module that is left out where its types cannot be had. */
const isOfGraph = (type: string) => type.startsWith("Microsoft.Graph/");
const counted = (types: readonly string[]) => {
  const counts = new Map<string, number>();
  for (const type of types.filter((one) => !isOfGraph(one))) counts.set(type, (counts.get(type) ?? 0) + 1);
  return Object.fromEntries([...counts].sort());
};

test.each(SETS)("%s: what Bicep predicts", async (_, choices) => {
  const { isDone, diagnostics, resources, text } = await (await bicep()).snapshot(given({ ...DEPLOYS, ...choices }));
  // No module is skipped for what is not known yet: what-if shows all of it.
  expect({ isDone, diagnostics }).toEqual(WITHOUT_A_WARNING);
  const ids = resources.map(({ id }) => id);
  expect(ids).toHaveLength(new Set(ids).size);
  const groups = resources.flatMap(({ id }) => /^\/subscriptions\/[^/]+\/resourceGroups\/([^/]+)/i.exec(id)?.[1] ?? []);
  const { AZURE_ENV_NAME: name = "shop", SHARED_ENVIRONMENT_NAME: shared } = choices;
  expect([...new Set(groups)].sort()).toEqual([`rg-${name}`, ...(shared ? [`rg-${shared}`] : [])].sort());
  expect(text).not.toMatch(/list\w*(Keys|Secrets|ConnectionStrings)|AccountKey|SharedAccessKey|[Pp]assword"/);
  // The same as with Azure's answers, with which the other tests look at values.
  const { deployed } = await deploy(choices);
  expect(counted(resources.map(({ type }) => type))).toEqual(counted(deployed.map(({ type }) => type)));
});

/** All modules that one waits for. */
function waitsFor({ resources }: Template, name: string, found = new Set<string>()): Set<string> {
  for (const next of resources[name]?.dependsOn ?? []) {
    if (found.has(next)) continue;
    found.add(next);
    waitsFor({ resources }, next, found);
  }
  return found;
}

test("the app comes after every role of its identities, and its roles after what they are for", async () => {
  const template = await (await bicep()).template();
  const giveRoles = Object.entries(template.resources).filter(([, module]) =>
    /oleAssignments@?/.test(JSON.stringify(Object.values(module.properties?.template?.resources ?? {}).map(typeOf))),
  );
  const names = giveRoles.map(([name]) => name);
  expect(names).toEqual(
    expect.arrayContaining(["storage", "packageStorage", "busAccess", "storeAccess", "monitoring"]),
  );
  // Of a developer, of clients, and of the simulated services' identity: the app starts without them.
  expect([...waitsFor(template, "app")]).toEqual(
    expect.arrayContaining(names.filter((name) => !["signIn", "services"].includes(name))),
  );
  expect([...waitsFor(template, "busAccess")]).toContain("serviceBus");
  expect([...waitsFor(template, "storeAccess")]).toContain("cosmos");
});

const typeOf = (resource: unknown) => (resource as { type: string }).type;

test("the workflows compile with the version that is tested here", () => {
  const [, version] =
    /Version="\[([\d.]+)\]"/.exec(readFileSync(join(root, "tests/infra/compiler/compiler.csproj"), "utf8")) ?? [];
  for (const file of ["ci", "azure-dev"])
    expect(read(`.github/workflows/${file}.yml`)).toContain(`az bicep install --version v${version}`);
});
