// What would be deployed with each set of choices: the template as the compiler evaluates it, down to the rights and the app's settings.
import { parseConfig } from "@scheduler-agent-supervisor/core/app";
import { expect, test } from "vitest";
import { business } from "../../shared/business.ts";
import { DEPLOYER, principalOf } from "./answered.ts";
import { HUB, OWN_NETWORK, SETS, THEIR_NETWORK, THEIR_SUBNETS } from "./choice-sets.ts";
import type { Files } from "./compiler.ts";
import {
  agents,
  type Choices,
  deploy,
  namedChoices,
  PRIVATE,
  read,
  rightsOf,
  roleOf,
  SCHEDULER,
  SECOND,
} from "./deploy.ts";

const alwaysReady = async (choices: Choices) =>
  (await deploy(choices)).site.properties.functionAppConfig.scaleAndConcurrency.alwaysReady as object[];

test.each(SETS)("%s: it can be deployed, and the app starts with its settings", async (_, choices) => {
  const { settings, deployed, outputs } = await deploy(choices);
  for (const value of Object.values(outputs)) expect(typeof value).toBe("string");
  const config = parseConfig({ ...settings, WEBSITE_AUTH_ENABLED: "True", WEBSITE_SITE_NAME: "func-shop" }, business);
  expect(config.ServiceBus__fullyQualifiedNamespace).toMatch(/^sb-\w+\.servicebus\.windows\.net$/);
  // Names that stand twice in one place are one resource to Azure.
  const places = deployed.map(({ id }) => id);
  expect(places).toHaveLength(new Set(places).size);
});

/** "Naming rules and restrictions for Azure resources". */
const NAMES: Readonly<Record<string, RegExp>> = {
  "Microsoft.Storage/storageAccounts": /^[a-z0-9]{3,24}$/,
  "Microsoft.ServiceBus/namespaces": /^(?!.*-(sb|mgmt)$)[A-Za-z][A-Za-z0-9-]{4,48}[A-Za-z0-9]$/,
  "Microsoft.DocumentDB/databaseAccounts": /^[a-z0-9][a-z0-9-]{1,42}[a-z0-9]$/,
  "Microsoft.Web/sites": /^[A-Za-z0-9][A-Za-z0-9-]{0,58}[A-Za-z0-9]$/,
  "Microsoft.DurableTask/schedulers": /^[A-Za-z0-9][A-Za-z0-9-]{1,62}[A-Za-z0-9]$/,
  "Microsoft.ManagedIdentity/userAssignedIdentities": /^[A-Za-z0-9][\w-]{2,127}$/,
  "Microsoft.OperationalInsights/workspaces": /^[A-Za-z0-9][A-Za-z0-9-]{2,61}[A-Za-z0-9]$/,
  "Microsoft.Resources/resourceGroups": /^[\w().-]{0,89}[\w()-]$/,
};

test("names are such as Azure takes, however long the environment's is", async () => {
  const { deployed } = await deploy({ ...PRIVATE, ...SCHEDULER, AZURE_ENV_NAME: `shop-${"x".repeat(59)}` });
  for (const { type, name } of deployed) if (NAMES[type]) expect(name, type).toMatch(NAMES[type]);
  const kinds = new Set(deployed.map(({ type }) => type));
  for (const type of Object.keys(NAMES)) expect(kinds).toContain(type);
});

/** "App settings reference for Azure Functions", Flex Consumption plan deprecations. */
const NOT_ON_FLEX = [
  ...["ENABLE_ORYX_BUILD", "FUNCTIONS_EXTENSION_VERSION", "FUNCTIONS_MAX_HTTP_CONCURRENCY"],
  ...["FUNCTIONS_WORKER_PROCESS_COUNT", "FUNCTIONS_WORKER_RUNTIME", "FUNCTIONS_WORKER_RUNTIME_VERSION"],
  ...["SCM_DO_BUILD_DURING_DEPLOYMENT", "TZ", "WEBSITE_CONTENTAZUREFILECONNECTIONSTRING", "WEBSITE_CONTENTSHARE"],
  ...["WEBSITE_MAX_DYNAMIC_APPLICATION_SCALE_OUT", "WEBSITE_MOUNT_ENABLED", "WEBSITE_NODE_DEFAULT_VERSION"],
  ...["WEBSITE_RUN_FROM_PACKAGE", "WEBSITE_TIME_ZONE"],
];

test.each(SETS)("%s: nothing is set that Flex Consumption has elsewhere or not at all", async (_, choices) => {
  const { settings, site, all } = await deploy(choices);
  expect(Object.keys(settings).filter((name) => NOT_ON_FLEX.includes(name))).toEqual([]);
  const properties = ["appSettings", "http20Enabled", "minTlsVersion", "scmMinTlsVersion"];
  expect(Object.keys(site.properties.siteConfig).sort()).toEqual(properties);
  // One app a plan.
  const sites = all("Microsoft.Web/sites").map(({ body }) => body["properties"] as { serverFarmId: string });
  const plans = all("Microsoft.Web/serverfarms").map(({ body }) => body["id"]);
  expect(sites.map(({ serverFarmId }) => serverFarmId).sort()).toEqual(plans.sort());
  expect(plans).toHaveLength(new Set(plans).size);
});

test("each agent has the address that was chosen; one whose service this deployment goes without has no setting", async () => {
  const usual = (await deploy()).settings;
  const all = (await deploy(Object.fromEntries(agents.map(({ name, choice }) => [choice, `https://${name}.example`]))))
    .settings;
  for (const { name, setting, optional } of agents) {
    expect(all[setting]).toBe(`https://${name}.example`);
    expect(usual[setting]).toBe(optional ? undefined : `https://${name}.example`);
  }
  expect(parseConfig({ ...all, WEBSITE_AUTH_ENABLED: "True" }, business).endpoints["hotel"]).toMatchObject([
    { url: "https://hotel.example/" },
  ]);
});

test("a demonstration: agents without an address have the simulated services, which reach nothing; elsewhere there are none", async () => {
  const { deployed, settings, services } = await deploy({
    SIMULATED_SERVICES: "true",
    PAYMENT_ENDPOINTS: "https://pay.example",
  });
  for (const { name, setting } of agents) {
    const given = name === "payment" ? "https://pay.example" : `https://${name}.example`;
    expect(settings[setting]).toBe(
      agents.find((agent) => agent.name === name)?.optional
        ? `https://${services.name}.azurewebsites.net/${name}`
        : given,
    );
  }
  const [id = ""] = Object.keys(services.identity.userAssignedIdentities);
  const identity = deployed.find(({ body }) => body["id"] === id);
  expect(rightsOf(deployed, principalOf(identity?.name ?? "")).map(roleOf)).toEqual(["storageBlobDataOwner"]);
  expect(services.properties.functionAppConfig.scaleAndConcurrency).toMatchObject({ maximumInstanceCount: 1 });
  for (const [name, choices] of namedChoices()) expect((await deploy(choices)).services, name).toBeUndefined();
  expect(namedChoices().get("production")).toMatchObject({ SIMULATED_SERVICES: "false" });
});

test("zones: two always-ready instances for each group that has one, none where none is wanted", async () => {
  expect(await alwaysReady({})).toEqual([{ name: "durable", instanceCount: 1 }]);
  expect(await alwaysReady({ ZONE_REDUNDANT: "true" })).toEqual([{ name: "durable", instanceCount: 2 }]);
  const chosen = { ALWAYS_READY: '{"durable":3,"submission":1,"agentReplies":0}' };
  const ready = [
    { name: "durable", instanceCount: 3 },
    { name: "function:submission", instanceCount: 1 },
  ];
  expect(await alwaysReady(chosen)).toEqual(ready);
  expect(await alwaysReady({ ...chosen, ZONE_REDUNDANT: "true" })).toEqual([
    ready[0],
    { ...ready[1], instanceCount: 2 },
  ]);
  expect(await alwaysReady({ ZONE_REDUNDANT: "true", ALWAYS_READY: '{"durable":0}' })).toEqual([]);
  expect(await alwaysReady({ MAXIMUM_INSTANCE_COUNT: "1" })).toHaveLength(1);
});

test.each<[string, Choices, string]>([
  [
    "zones with one instance at most",
    { ZONE_REDUNDANT: "true", MAXIMUM_INSTANCE_COUNT: "1" },
    "maximumInstanceCount is below",
  ],
  ["a private network on Standard", { NETWORK: "private" }, "serviceBusSku Premium"],
  ["replicas of a Standard bus", { SERVICE_BUS_REPLICA_LOCATIONS: '["westus3"]' }, "serviceBusSku Premium"],
  ["a lag that Service Bus has not", { SERVICE_BUS_REPLICATION_LAG: "60" }, "300 seconds to a day"],
  ["regions of a serverless store", { COSMOS_SECONDARY_LOCATIONS: '["westus3"]' }, "cosmosCapacityMode autoscale"],
  [
    "no address of a service",
    { PAYMENT_ENDPOINTS: "" },
    "needs the addresses of these services: azd env set PAYMENT_ENDPOINTS",
  ],
  ["a private endpoint of the app without a network", { INBOUND_PRIVATE: "true" }, "inboundPrivate needs network"],
  ["an address that stays without a network", { STATIC_OUTBOUND: "true" }, "staticOutbound is for the network"],
  [
    "an address that stays in somebody else's network",
    { ...PRIVATE, ...THEIR_NETWORK, STATIC_OUTBOUND: "true" },
    "staticOutbound is for the network",
  ],
  ["two app registrations", { CREATE_SIGN_IN: "true", AUTH_CLIENT_ID: "x" }, "Either createSignIn"],
])("%s: rejected in words before anything is deployed", async (_, choices, words) => {
  await expect(deploy(choices)).rejects.toThrow(words);
});

test("planted: what is asked of a resource that these choices do not deploy is found", async () => {
  const main = read("infra/main.bicep");
  const careless = main.replace("usesScheduler ? durableTask!.outputs.endpoint : ''", "durableTask!.outputs.endpoint");
  expect(careless).not.toBe(main);
  await expect(deploy({}, { "infra/main.bicep": careless })).rejects.toThrow("durableTask");
  await deploy(SCHEDULER, { "infra/main.bicep": careless });
});

interface Endpoint {
  readonly properties: {
    readonly privateLinkServiceConnections: readonly {
      readonly properties: { readonly privateLinkServiceId: string };
    }[];
  };
}
interface ZoneGroup {
  readonly properties: {
    readonly privateDnsZoneConfigs: readonly { readonly properties: { readonly privateDnsZoneId: string } }[];
  };
}

test("private: every endpoint leads to a part that is deployed, has its zone, and no part is public", async () => {
  const { all, deployed } = await deploy({ ...PRIVATE, ...SCHEDULER });
  const endpoints = all("Microsoft.Network/privateEndpoints").map(({ body }) => body as unknown as Endpoint);
  const targets = endpoints.flatMap(({ properties }) =>
    properties.privateLinkServiceConnections.map((link) => link.properties.privateLinkServiceId),
  );
  const parts = deployed.filter(({ body }) => "publicNetworkAccess" in ((body["properties"] as object) ?? {}));
  // The app's own address stays public, unless INBOUND_PRIVATE is chosen.
  const own = parts.splice(
    parts.findIndex(({ type }) => type === "Microsoft.Web/sites"),
    1,
  );
  expect(own[0]?.body).toMatchObject({ properties: { publicNetworkAccess: "Enabled" } });
  expect(parts.map(({ type }) => type).sort()).toEqual([
    "Microsoft.DocumentDB/databaseAccounts",
    "Microsoft.DurableTask/schedulers",
    "Microsoft.ServiceBus/namespaces",
    "Microsoft.Storage/storageAccounts",
    "Microsoft.Storage/storageAccounts",
  ]);
  for (const { body, type } of parts) {
    expect(body, type).toMatchObject({ properties: { publicNetworkAccess: "Disabled" } });
    expect(targets, type).toContain(body["id"]);
  }
  const zones = all("Microsoft.Network/privateDnsZones").map(({ body }) => body["id"]);
  const used = all("Microsoft.Network/privateEndpoints/privateDnsZoneGroups").flatMap(({ body }) =>
    (body as unknown as ZoneGroup).properties.privateDnsZoneConfigs.map((config) => config.properties.privateDnsZoneId),
  );
  expect(used).toHaveLength(endpoints.length);
  expect(new Set(used)).toEqual(new Set(zones));
  const { all: usual } = await deploy();
  expect(usual("Microsoft.Network/virtualNetworks")).toEqual([]);
});

test("private: an outbound address and an inbound endpoint of its own", async () => {
  const { only, all, site } = await deploy(OWN_NETWORK);
  const { addressSpace, subnets } = only("Microsoft.Network/virtualNetworks").properties;
  expect(addressSpace.addressPrefixes).toEqual(["10.0.0.0/16"]);
  const prefixes = subnets.map(({ properties }: { properties: { addressPrefix: string } }) => properties.addressPrefix);
  expect(prefixes).toEqual(["10.0.0.0/24", "10.0.1.0/24"]);
  expect(subnets[0].properties.natGateway.id).toBe(only("Microsoft.Network/natGateways").id);
  expect((await deploy(PRIVATE)).all("Microsoft.Network/natGateways")).toEqual([]);
  expect(site.properties.publicNetworkAccess).toBe("Disabled");
  const endpoints = all("Microsoft.Network/privateEndpoints").map(({ body }) => body as unknown as Endpoint);
  const targets = endpoints.map(
    ({
      properties: {
        privateLinkServiceConnections: [link],
      },
    }) => link?.properties,
  );
  expect(targets).toContainEqual({ privateLinkServiceId: site.id, groupIds: ["sites"] });
});

test("private: in a network and with zones that are there, none is made", async () => {
  const { all, site } = await deploy({ ...PRIVATE, ...THEIR_NETWORK });
  for (const made of [
    "virtualNetworks",
    "networkSecurityGroups",
    "privateDnsZones",
    "privateDnsZones/virtualNetworkLinks",
  ])
    expect(all(`Microsoft.Network/${made}`), made).toEqual([]);
  expect(site.properties.virtualNetworkSubnetId).toBe(THEIR_SUBNETS.app);
  for (const { body } of all("Microsoft.Network/privateEndpoints"))
    expect(body["properties"]).toMatchObject({ subnet: { id: THEIR_SUBNETS.endpoints } });
  const groups = all("Microsoft.Network/privateEndpoints/privateDnsZoneGroups");
  expect(groups.length).toBeGreaterThan(5);
  for (const { body } of groups)
    for (const { properties } of (body as unknown as ZoneGroup).properties.privateDnsZoneConfigs)
      expect(properties.privateDnsZoneId).toMatch(`${HUB}/providers/Microsoft.Network/privateDnsZones/privatelink.`);
  const named = await deploy({ ...PRIVATE, ...THEIR_NETWORK, NETWORK_DNS_ZONES: "none" });
  expect(named.all("Microsoft.Network/privateEndpoints/privateDnsZoneGroups")).toEqual([]);
});

test("locks: on store and bus where chosen, and in production; nowhere else", async () => {
  const locked = async (choices: Choices) =>
    (await deploy(choices)).all("Microsoft.Authorization/locks").map(({ scope }) => scope?.type);
  const both = ["Microsoft.DocumentDB/databaseAccounts", "Microsoft.ServiceBus/namespaces"];
  expect((await locked({ LOCK_DATA: "true" })).sort()).toEqual(both);
  expect((await locked(namedChoices().get("production") ?? {})).sort()).toEqual(both);
  expect(await locked({})).toEqual([]);
  // Another environment's store and bus are its own to lock.
  expect(await locked({ ...SECOND, LOCK_DATA: "true" })).toEqual([]);
});

test("a restored store: the app's rights, its setting, its endpoint and its alert are of that account", async () => {
  const { deployed, outputs, all, settings, only } = await deploy({
    ...PRIVATE,
    COSMOS_ACCOUNT_NAME: "cosmos-restored",
  });
  const { id } = only("Microsoft.DocumentDB/databaseAccounts");
  expect(id).toMatch(/\/cosmos-restored$/);
  expect(settings["Cosmos__accountEndpoint"]).toContain("//cosmos-restored.");
  const rights = rightsOf(deployed, outputs["APP_PRINCIPAL_ID"]).filter(({ type }) => type.includes("sqlRole"));
  expect(rights.length).toBeGreaterThan(3);
  for (const { name } of rights) expect(name).toMatch(/^cosmos-restored\//);
  const endpoints = all("Microsoft.Network/privateEndpoints").map(({ body }) => JSON.stringify(body));
  expect(endpoints.filter((text) => text.includes(id))).toHaveLength(1);
  const alert = all("Microsoft.Insights/metricAlerts").find(({ name }) => name === "cosmos-throttling");
  expect(alert?.body["properties"]).toMatchObject({ scopes: [id] });
});

test("a pipeline that deploys gets no right at all; a developer does", async () => {
  expect(rightsOf((await deploy()).deployed, DEPLOYER).length).toBeGreaterThan(3);
  for (const choices of [
    { GRANT_DEVELOPER_ACCESS: "false" },
    { GRANT_DEVELOPER_ACCESS: "false", CREATE_SIGN_IN: "true" },
  ])
    expect(JSON.stringify((await deploy(choices)).deployed)).not.toContain(DEPLOYER);
});

test("the app has the roles of docs/how-to/identity.md, and on Durable Task Scheduler no queues of its own in storage", async () => {
  const rolesOf = async (choices: Choices) => {
    const { deployed, outputs } = await deploy(choices);
    return [...new Set(rightsOf(deployed, outputs["APP_PRINCIPAL_ID"]).map(roleOf))].sort();
  };
  const usual = [
    "cosmosDataContributor",
    "monitoringMetricsPublisher",
    "of its own",
    "serviceBusDataOwner",
    "serviceBusDataSender",
    "storageBlobDataOwner",
    "storageQueueDataContributor",
    "storageTableDataContributor",
  ];
  expect(await rolesOf({})).toEqual(usual);
  const onScheduler = [...usual.filter((role) => role !== "storageQueueDataContributor"), "durableTaskDataContributor"];
  expect(await rolesOf(SCHEDULER)).toEqual(onScheduler.sort());
});

test("two regions: the bus waits for its replica unless it may be behind; the store fails over, and one region writes", async () => {
  const regions = {
    SERVICE_BUS_SKU: "Premium",
    SERVICE_BUS_REPLICA_LOCATIONS: '["eastus2"]',
    COSMOS_CAPACITY_MODE: "autoscale",
    COSMOS_SECONDARY_LOCATIONS: '["eastus2"]',
  };
  const first = await deploy(regions);
  const replication = (lag: number) => ({
    maxReplicationLagDurationInSeconds: lag,
    locations: [
      { locationName: "westus3", roleType: "Primary" },
      { locationName: "eastus2", roleType: "Secondary" },
    ],
  });
  expect(first.only("Microsoft.ServiceBus/namespaces").properties.geoDataReplication).toEqual(replication(0));
  const behind = await deploy({ ...regions, SERVICE_BUS_REPLICATION_LAG: "300" });
  expect(behind.only("Microsoft.ServiceBus/namespaces").properties.geoDataReplication).toEqual(replication(300));
  expect(first.only("Microsoft.DocumentDB/databaseAccounts").properties).toMatchObject({
    enableAutomaticFailover: true,
    enableMultipleWriteLocations: false,
    locations: [{ locationName: "westus3" }, { locationName: "eastus2" }],
  });
});

test("a second region works on the first one's bus and store, with its rights there, and receives replies of its own", async () => {
  const first = await deploy({ AZURE_LOCATION: "eastus2" });
  const second = await deploy(SECOND);
  for (const name of ["SERVICE_BUS_NAMESPACE", "COSMOS_ENDPOINT"])
    expect(second.outputs[name]).toBe(first.outputs[name]);
  expect(second.outputs["SERVICE_APP_NAME"]).not.toBe(first.outputs["SERVICE_APP_NAME"]);
  for (const type of [
    "Microsoft.ServiceBus/namespaces",
    "Microsoft.DocumentDB/databaseAccounts",
    "Microsoft.Insights/metricAlerts",
  ])
    expect(second.all(type)).toEqual([]);
  const rights = rightsOf(second.deployed, second.outputs["APP_PRINCIPAL_ID"]);
  const shared = rights.filter((right) => /^(serviceBus|cosmos)/.test(roleOf(right)));
  expect(new Set(shared.map(({ group }) => group))).toEqual(new Set(["rg-shop"]));
  const received = shared.map(({ scope }) => scope?.name.split("/")[1]);
  const { AgentRepliesQueue: replies } = second.settings;
  expect(replies).toBe("agent-replies-host2");
  expect(received).toEqual(expect.arrayContaining(["jobs", replies]));
  expect(second.settings["TaskHub"]).not.toBe(first.settings["TaskHub"]);
  // By it the smoke test knows which region did an order.
  for (const { settings, outputs } of [first, second, await deploy({ SETTING_OVERRIDES: '{"TaskHub":"Other"}' })])
    expect(outputs["TASK_HUB"]).toBe(settings["TaskHub"]);
});

const WITH_PARTIES: Files = {
  "entities/service-bus.json": JSON.stringify({
    queues: ["infra/entities/service-bus.json", "samples/parties.json"].flatMap(
      (file) => (JSON.parse(read(file)) as { queues: object[] }).queues,
    ),
  }),
};

test("an identity of a client may send to and listen on the queues that name it, and nothing else", async () => {
  const principal = "11111111-2222-3333-4444-555555555555";
  const { deployed } = await deploy({ PARTY_PRINCIPALS: JSON.stringify({ "tea-shop": principal }) }, WITH_PARTIES);
  const rights = rightsOf(deployed, principal).map((right) => [roleOf(right), right.scope?.name.split("/")[1]]);
  expect(rights).toEqual([
    ["serviceBusDataSender", "orders-tea-shop"],
    ["serviceBusDataReceiver", "replies-tea-shop"],
  ]);
});

test("sampling: of traces alone, at the rate that the pages and the cost take", async () => {
  const { settings, only } = await deploy();
  expect(settings).toMatchObject({ OTEL_TRACES_SAMPLER: "microsoft.fixed_percentage" });
  expect(settings["OTEL_TRACES_SAMPLER_ARG"]).toBe("0.25");
  // Ingestion sampling would drop events, which alerts count.
  expect(JSON.stringify(only("Microsoft.Insights/components"))).not.toContain("amplingPercentage");
  const { excludedTypes } = JSON.parse(read("host.json")).logging.applicationInsights.samplingSettings;
  expect(excludedTypes.split(";")).toEqual(expect.arrayContaining(["Event", "Exception", "Trace"]));
});

test("the development set: no alerts, small instances, nothing always ready, its own schedules", async () => {
  const dev = await deploy(namedChoices().get("dev"));
  expect(dev.all("Microsoft.Insights/scheduledQueryRules")).toEqual([]);
  expect(dev.site.properties.functionAppConfig.scaleAndConcurrency).toEqual({
    instanceMemoryMB: 512,
    maximumInstanceCount: 5,
    alwaysReady: [],
  });
  expect(dev.settings).toMatchObject({
    SupervisorSchedule: "0 * * * * *",
    GaugesSchedule: "0 */5 * * * *",
    OTEL_TRACES_SAMPLER_ARG: "0.1",
  });
});
