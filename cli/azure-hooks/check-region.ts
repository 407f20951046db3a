// Before provisioning: whether the region has what was chosen. A deployment would find out after minutes, halfway through, and in
// words of its own. What Azure does not answer is not held against the region: the deployment then decides.
import { z } from "zod";
import type { ResourceManager } from "./resource-manager.ts";

export interface RegionChoices {
  readonly location: string;
  readonly zoneRedundant: boolean;
  readonly nodeVersion: string;
  readonly usesScheduler: boolean;
}

/** What azd's environment says, with the template's usual choices. */
export function regionChoices(location: string, chosen: (name: string) => string | undefined): RegionChoices {
  return {
    location,
    zoneRedundant: chosen("ZONE_REDUNDANT") === "true",
    nodeVersion: chosen("NODE_VERSION") || "24",
    usesScheduler: chosen("DURABLE_BACKEND") === "durableTaskScheduler",
  };
}

/** As `az functionapp list-flexconsumption-locations` asks; a region with zones for Flex Consumption has FCZONEREDUNDANCY. */
const geoRegions = z.object({
  value: z
    .array(z.object({ name: z.string(), properties: z.object({ orgDomain: z.string().nullish() }).nullish() }))
    .min(1),
});
/** As `az functionapp list-flexconsumption-runtimes` asks. */
const flexSku = z.object({
  skuCode: z.string(),
  functionAppConfigProperties: z.object({ runtime: z.object({ name: z.string(), version: z.string() }) }),
});
const minorVersion = z.object({
  stackSettings: z.object({ linuxRuntimeSettings: z.object({ Sku: z.array(flexSku).nullish() }).nullish() }),
});
const stacks = z.object({
  value: z.array(
    z.object({ properties: z.object({ majorVersions: z.array(z.object({ minorVersions: z.array(minorVersion) })) }) }),
  ),
});
const provider = z.object({
  resourceTypes: z.array(z.object({ resourceType: z.string(), locations: z.array(z.string()) })),
});

/** One line for each choice that the region can't have, with what can be chosen; none where it can have all, as far as Azure says. */
export async function regionFaults(
  manager: ResourceManager,
  subscriptionId: string,
  { location, zoneRedundant, nodeVersion, usesScheduler }: RegionChoices,
): Promise<string[]> {
  const ask = async <T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> => {
    const { status, body } = await manager.get(path);
    return status === 200 ? schema.safeParse(body).data : undefined;
  };
  const faults: string[] = [];
  const lacks = (offered: readonly string[], what: string) => {
    if (offered.length > 0 && !offered.map(plain).includes(plain(location)))
      faults.push(`${what}. It can be had in: ${offered.join(", ")}`);
  };
  const web = "/providers/Microsoft.Web";
  const regions = await ask(
    `/subscriptions/${subscriptionId}${web}/geoRegions?sku=FlexConsumption&api-version=2024-11-01`,
    geoRegions,
  );
  const flex = regions?.value ?? [];
  const named = (found: typeof flex) => found.map(({ name }) => name);
  lacks(named(flex), "AZURE_LOCATION: Flex Consumption is not there");
  if (faults.length > 0) return faults;
  if (zoneRedundant)
    lacks(
      named(flex.filter(({ properties }) => /FCZONEREDUNDANCY/.test(properties?.orgDomain ?? ""))),
      "ZONE_REDUNDANT=true: Flex Consumption has no zones there",
    );
  const runtimes = await ask(
    `${web}/locations/${plain(location)}/functionAppStacks?stack=node&sku=FC1&removeHiddenStacks=true&removeDeprecatedStacks=true&api-version=2020-10-01`,
    stacks,
  );
  const versions = nodeVersionsIn(runtimes);
  if (versions.length > 0 && !versions.includes(nodeVersion))
    faults.push(`NODE_VERSION=${nodeVersion}: Flex Consumption has Node ${versions.join(", ")} there`);
  if (usesScheduler) {
    const task = await ask(
      `/subscriptions/${subscriptionId}/providers/Microsoft.DurableTask?api-version=2021-04-01`,
      provider,
    );
    lacks(
      task?.resourceTypes.find(({ resourceType }) => resourceType === "schedulers")?.locations ?? [],
      "DURABLE_BACKEND=durableTaskScheduler: Durable Task Scheduler is not there",
    );
  }
  return faults;
}

function nodeVersionsIn(runtimes: z.infer<typeof stacks> | undefined): string[] {
  const minors = (runtimes?.value ?? []).flatMap(({ properties }) =>
    properties.majorVersions.flatMap(({ minorVersions }) => minorVersions),
  );
  const skus = minors.flatMap(({ stackSettings }) => stackSettings.linuxRuntimeSettings?.Sku ?? []);
  const node = skus
    .filter(({ skuCode }) => skuCode === "FC1")
    .map(({ functionAppConfigProperties: { runtime } }) => runtime)
    .filter(({ name }) => name === "node");
  return [...new Set(node.map(({ version }) => version))];
}

/** `East US 2` and `eastus2` are one region. */
const plain = (region: string) => region.toLowerCase().replaceAll(" ", "");
