// Public entry `core/composition`: the parts of an app that other packages are composed with.
export type { Agent, Endpoint } from "./agents/agent.ts";
export { type Authenticators, authenticateAll } from "./agents/authentication.ts";
export { idIn, notYet } from "./agents/http-service.ts";
export { type RouteOptions, routeAgent } from "./agents/route-agent.ts";
export { versionsInUse } from "./app/check-workflows.ts";
export { verdictFaults } from "./app/checked-services.ts";
export type { Composed, Tuning } from "./app/compose.ts";
export { type Config, parseConfig } from "./app/config.ts";
export { blobsOf, cosmosOf, serviceBusOf } from "./app/connections.ts";
export type { OperatorSignIn } from "./app/setting-types.ts";
