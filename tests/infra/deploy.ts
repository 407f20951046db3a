// A deployment of the template with a set of choices, evaluated here.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { expect } from "vitest";
import type { Files, Value } from "./bicep-functions.ts";
import { type Deployed, evaluate } from "./evaluate.ts";

const root = join(import.meta.dirname, "../..");
export const read = (file: string) => readFileSync(join(root, file), "utf8");
const MAIN = join(root, "infra/main.bicep");

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

export function deploy(choices: Choices = {}, files: Files = {}) {
  const { deployed, outputs } = evaluate(MAIN, given(choices), files);
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

export const rightsOf = (deployed: readonly Deployed[], principal: Value | undefined) =>
  deployed.filter(
    ({ type, body }) =>
      /ssignments$/.test(type) && (body["properties"] as Record<string, Value>)?.["principalId"] === principal,
  );
export const roleOf = ({ body }: Deployed) => {
  const { roleDefinitionId = "" } = body["properties"] as { roleDefinitionId?: string };
  return Object.entries(roles).find(([, id]) => roleDefinitionId.endsWith(id))?.[0] ?? "of its own";
};
