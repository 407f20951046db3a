// A deployment of the template with a set of choices, evaluated here.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Choices } from "../../cli/cost/environments.ts";
import type { Files, Value } from "./bicep-functions.ts";
import { type Deployed, evaluate } from "./evaluate.ts";

const root = join(import.meta.dirname, "../..");
export const read = (file: string) => readFileSync(join(root, file), "utf8");
const MAIN = join(root, "infra/main.bicep");
const parameters = Object.entries(
  (JSON.parse(read("infra/main.parameters.json")) as { parameters: Record<string, { value: string }> }).parameters,
).map(([name, { value }]) => ({ name, choice: value.slice(2, -1) }));
const types = new Map(
  [...read("infra/main.bicep").matchAll(/^param (\w+) (\S+)/gm)].map(([, name, type]) => [name, type]),
);
const roles = JSON.parse(read("infra/roles.json")) as Record<string, string>;

const NEEDED = {
  AZURE_ENV_NAME: "shop",
  AZURE_LOCATION: "westus3",
  INVENTORY_ENDPOINTS: "https://inventory.example",
  PAYMENT_ENDPOINTS: "https://payment.example",
  FRAUD_ENDPOINTS: "https://fraud.example",
  SHIPPING_ENDPOINTS: "https://shipping.example",
};
export const SECOND = { AZURE_ENV_NAME: "shop-west", SHARED_ENVIRONMENT_NAME: "shop", SHARED_LOCATION: "eastus2" };
export const PRIVATE = { NETWORK: "private", SERVICE_BUS_SKU: "Premium" };
export const SCHEDULER = { DURABLE_BACKEND: "durableTaskScheduler" };

/** As azd hands choices to the template: each as its parameter's type. */
export function deploy(choices: Choices = {}, files: Files = {}) {
  const given = Object.entries({ ...NEEDED, ...choices }).map(([choice, text = ""]) => {
    const name = parameters.find((parameter) => parameter.choice === choice)?.name;
    if (!name) throw new Error(`there is no choice ${choice}`);
    return [name, types.get(name) === "string" ? text : (JSON.parse(text) as Value)] as const;
  });
  const { deployed, outputs } = evaluate(MAIN, Object.fromEntries(given), files);
  const all = (type: string) => deployed.filter((one) => one.type === type);
  // biome-ignore lint/suspicious/noExplicitAny: properties of any resource.
  const only = (type: string): any => {
    expect(all(type), type).toHaveLength(1);
    return all(type)[0]?.body;
  };
  const site = only("Microsoft.Web/sites");
  const pairs = site.properties.siteConfig.appSettings as { name: string; value: string }[];
  const settings = Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
  return { deployed, outputs, all, only, site, settings };
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
