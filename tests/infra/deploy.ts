// A deployment of the template with a set of choices, as Bicep's compiler predicts it. Where the compiler can't be had, the test that asks is skipped.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, expect, TestRunner } from "vitest";
import { type Compiler, type Files, openCompiler, type Predicted, type Value } from "./compiler.ts";

const root = join(import.meta.dirname, "../..");
export const read = (file: string) => readFileSync(join(root, file), "utf8");

/** Choices of azd by name, as in `azd env set`. */
export type Choices = Readonly<Record<string, string | undefined>>;

/** The template's usual choices, and those of infra/choices/*.env. */
export function namedChoices(): ReadonlyMap<string, Choices> {
  const files = readdirSync(join(root, "infra/choices")).filter((file) => file.endsWith(".env"));
  const named = files.map((file): [string, Choices] => [
    file.replace(/\.env$/, ""),
    parseEnv(read(`infra/choices/${file}`)),
  ]);
  return new Map([["usual", {}], ...named]);
}

/** A choice in the form `${NAME}`, or an object of them. */
type Given = string | { readonly [member: string]: string };
const { parameters } = JSON.parse(read("infra/main.parameters.json")) as {
  parameters: Record<string, { readonly value: Given }>;
};
const types = new Map(
  [...read("infra/main.bicep").matchAll(/^param (\w+) (\S+)/gm)].map(([, name, type]) => [name, type]),
);
const roles = JSON.parse(read("infra/roles.json")) as Record<string, string>;

interface ListedAgent {
  readonly name: string;
  readonly setting: string;
  readonly choice: string;
  readonly optional: boolean;
}
export const agents = JSON.parse(read("infra/entities/agents.json")) as readonly ListedAgent[];

const needed = {
  AZURE_ENV_NAME: "shop",
  AZURE_LOCATION: "westus3",
  ...Object.fromEntries(
    agents.flatMap(({ name, choice, optional }) => (optional ? [] : [[choice, `https://${name}.example`]])),
  ),
};
export const SECOND = { AZURE_ENV_NAME: "shop-west", SHARED_ENVIRONMENT_NAME: "shop", SHARED_LOCATION: "eastus2" };
export const PRIVATE = { NETWORK: "private", SERVICE_BUS_SKU: "Premium" };
export const SCHEDULER = { DURABLE_BACKEND: "durableTaskScheduler" };

const choiceIn = (value: string) => value.slice(2, -1);

/** As azd hands choices to the template: each as its parameter's type. In an object a choice that is not made is an empty text. */
function parametersOf(choices: Choices): Record<string, Value> {
  const named = Object.values(parameters).flatMap(({ value }) =>
    typeof value === "string" ? [choiceIn(value)] : Object.values(value).map(choiceIn),
  );
  for (const choice of Object.keys(choices))
    if (!named.includes(choice)) throw new Error(`there is no choice ${choice}`);
  const pairs = Object.entries(parameters).flatMap(([name, { value }]): [string, Value][] => {
    if (typeof value !== "string") {
      const members = Object.entries(value).map(([member, choice]) => [member, choices[choiceIn(choice)] ?? ""]);
      return [[name, Object.fromEntries(members)]];
    }
    const text = choices[choiceIn(value)];
    if (text === undefined) return [];
    return [[name, types.get(name) === "string" ? text : (JSON.parse(text) as Value)]];
  });
  return Object.fromEntries(pairs);
}

/** What the template is given, with the addresses that it needs. */
export const given = (choices: Choices = {}) => parametersOf({ ...needed, ...choices });

let opened: ReturnType<typeof openCompiler> | undefined;
afterAll(async () => {
  const compiler = await opened;
  if (typeof compiler === "object") compiler.end();
});

/** One for a file of tests. */
export async function bicep(): Promise<Compiler> {
  opened ??= openCompiler();
  const compiler = await opened;
  if (typeof compiler === "object") return compiler;
  TestRunner.getCurrentTest()?.context.skip(compiler);
  throw new Error(compiler);
}

export interface Deployed {
  /** As in `Microsoft.Web/sites`. */
  readonly type: string;
  readonly group: string;
  readonly name: string;
  readonly id: string;
  /** What it is made on: of a right, a lock or a diagnostic setting. */
  readonly scope: { readonly type: string; readonly name: string } | undefined;
  readonly body: Readonly<Record<string, Value>>;
}

const known = new Map<string, ReturnType<typeof predict>>();

/** @throws what the template's `fail` says, and where something is read of a resource that this choice does not deploy. */
export function deploy(choices: Choices = {}, files: Files = {}) {
  const key = JSON.stringify([given(choices), files]);
  const found = known.get(key) ?? predict(choices, files);
  known.set(key, found);
  return found;
}

async function predict(choices: Choices, files: Files) {
  const { isDone, diagnostics, resources, outputs, text } = await (await bicep()).answered(given(choices), files);
  if (!isDone || diagnostics.length > 0) throw new Error(diagnostics.join("\n"));
  const [asked] = /"\[\w+\(.*"/.exec(text) ?? [];
  if (asked) throw new Error(`asked of what is not deployed: ${asked}`);
  const deployed = resources.map(deployedOf);
  const all = (type: string) => deployed.filter((one) => one.type === type);
  // biome-ignore lint/suspicious/noExplicitAny: properties of any resource.
  const only = (type: string): any => {
    expect(all(type), type).toHaveLength(1);
    return all(type)[0]?.body;
  };
  // biome-ignore lint/suspicious/noExplicitAny: properties of any resource.
  const sites: any[] = all("Microsoft.Web/sites").map(({ body }) => body);
  const site = sites.find(({ tags }) => tags["azd-service-name"] === "app");
  const services = sites.find(({ tags }) => tags["azd-service-name"] === "services");
  const pairs = site.properties.siteConfig.appSettings as { name: string; value: string }[];
  const settings = Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
  return { deployed, outputs, all, only, site, services, settings };
}

function deployedOf(body: Predicted): Deployed {
  const { id, type, name } = body;
  const [, group = ""] = /\/resourceGroups\/([^/]+)/.exec(id) ?? [];
  return { id, type, name, group, scope: scopeIn(id), body };
}

/** From `…/providers/<of it>/providers/<of what is made on it>`. */
function scopeIn(id: string): Deployed["scope"] {
  const above = id.split("/providers/").slice(1, -1).at(-1);
  if (above === undefined) return undefined;
  const [namespace, ...rest] = above.split("/");
  const every = (place: number) => rest.filter((_, at) => at % 2 === place);
  return { type: [namespace, ...every(0)].join("/"), name: every(1).join("/") };
}

export const rightsOf = (deployed: readonly Deployed[], principal: Value | undefined) =>
  deployed.filter(
    ({ type, body }) =>
      /ssignments$/.test(type) && (body["properties"] as Record<string, Value>)?.["principalId"] === principal,
  );
export const roleOf = ({ body }: Deployed) => {
  const { roleDefinitionId = "" } = body["properties"] as { roleDefinitionId?: string };
  return Object.entries(roles).find(([, id]) => roleDefinitionId.endsWith(id))?.[0] ?? "of its own";
};
