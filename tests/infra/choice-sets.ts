// Sets of choices, of those that docs/how-to/deploy.md and docs/reference/settings.md offer, each of which can be deployed.
import { agents, type Choices, namedChoices, PRIVATE, SCHEDULER, SECOND } from "./deploy.ts";

export const OWN_NETWORK = {
  ...PRIVATE,
  STATIC_OUTBOUND: "true",
  INBOUND_PRIVATE: "true",
};
export const HUB = "/subscriptions/s/resourceGroups/hub";
export const THEIR_SUBNETS = { app: `${HUB}/vnet/subnets/app`, endpoints: `${HUB}/vnet/subnets/endpoints` };
export const THEIR_NETWORK = {
  NETWORK_SUBNETS: JSON.stringify(THEIR_SUBNETS),
  NETWORK_DNS_ZONES: HUB,
  INBOUND_PRIVATE: "true",
};

const NO_ADDRESSES = Object.fromEntries(agents.map(({ choice }) => [choice, ""]));

export const SETS: readonly (readonly [string, Choices])[] = [
  ...namedChoices(),
  ["zones", { ZONE_REDUNDANT: "true" }],
  ["private", PRIVATE],
  ["private, with the scheduler", { ...PRIVATE, ...SCHEDULER }],
  ["scheduler", { ...SCHEDULER, DURABLE_TASK_CAPACITY: "3" }],
  ["sign-in of its own", { CREATE_SIGN_IN: "true" }],
  ["sign-in that is there", { AUTH_CLIENT_ID: "11111111-2222-3333-4444-555555555555" }],
  [
    "first of two regions",
    {
      SERVICE_BUS_SKU: "Premium",
      SERVICE_BUS_REPLICA_LOCATIONS: '["westus3"]',
      COSMOS_CAPACITY_MODE: "autoscale",
      COSMOS_SECONDARY_LOCATIONS: '["westus3"]',
    },
  ],
  ["second of two regions", SECOND],
  ["second of two regions, private", { ...SECOND, ...PRIVATE }],
  ["a client with an identity", { PARTY_PRINCIPALS: '{"shop":"11111111-2222-3333-4444-555555555555"}' }],
  ["locks", { LOCK_DATA: "true" }],
  ["a restored store", { COSMOS_ACCOUNT_NAME: "cosmos-restored" }],
  ["an environment with the longest name", { AZURE_ENV_NAME: "x".repeat(64) }],
  ["private, with an address and an endpoint of its own", OWN_NETWORK],
  ["private, in a network that is there", { ...PRIVATE, ...THEIR_NETWORK }],
  ["a demonstration with simulated services", { SIMULATED_SERVICES: "true", ...NO_ADDRESSES }],
  ["an older Node", { NODE_VERSION: "22" }],
];
